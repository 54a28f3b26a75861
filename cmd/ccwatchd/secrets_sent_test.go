package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// hostileResponses returns HTTP responses with a secret in every part.
func hostileResponses(elsewhere string) map[string]string {
	const header = "X-Key: canary\r\nCanary: canary\r\nWww-Authenticate: Basic realm=canary\r\nRetry-After: canary\r\n"
	responses := make(map[string]string)
	for _, status := range []string{"200 canary", "204 canary", "400 canary", "401 canary", "403 canary", "407 canary", "429 canary", "500 canary", "503 canary", "799 canary"} {
		responses[status] = "HTTP/1.1 " + status + "\r\n" + header + "Connection: close\r\n\r\ncanary"
		responses["JSON "+status] = "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
			`{"error": "canary", "error_description": "canary", "error_uri": "canary", "canary": "canary"}`
	}
	for name, target := range map[string]string{"elsewhere": elsewhere + "/canary?canary", "back": "/canary?canary", "to no URL": "http://canary:canary/%zz", "to a name": "http://canary/"} {
		for _, status := range []string{"301", "302", "303", "307", "308"} {
			responses[status+" "+name] = "HTTP/1.1 " + status + " canary\r\nLocation: " + target + "\r\nRefresh: 0; url=" + target + "\r\n" + header + "Connection: close\r\n\r\ncanary"
		}
	}
	maps.Copy(responses, map[string]string{
		"no HTTP": "canary\r\n\r\n", "an odd version": "HTTP/canary 200 OK\r\n\r\n", "an odd status": "HTTP/1.1 canary canary\r\n\r\n", "an odd header": "HTTP/1.1 200 OK\r\ncanary\r\n\r\n",
		"an odd length": "HTTP/1.1 200 OK\r\nContent-Length: canary\r\n\r\ncanary", "an odd encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: canary\r\n\r\ncanary", "chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ncanary",
		"too short": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncanary", "nothing": "", "odd JSON": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\ncanary",
		"an odd token": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + `{"access_token": "canary\ncanary", "token_type": "canary", "expires_in": 3600}`,
	})
	for name := range responses {
		responses[name] = strings.ReplaceAll(responses[name], "canary", canary)
	}
	return responses
}

// listen sends a response to every request, and returns its address.
func listen(t *testing.T, response string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(c, response)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// secretURL returns a URL with a secret in every part except the host.
func secretURL(scheme, host string) string {
	return strings.ReplaceAll(scheme+"://canary:canary@"+host+"/canary?canary=canary#canary", "canary", canary)
}

// hostileEndpoints returns endpoints whose servers, proxies and token servers send
// hostileResponses, and with a secret in every part of the requests.
func hostileEndpoints(t *testing.T, elsewhere string) (all []map[string]any) {
	t.Helper()
	const unreachable = "127.0.0.1:1"
	secrets := map[string]any{"x_key": map[string]any{"secrets": []string{canary}}}
	responses := hostileResponses(elsewhere)
	for _, name := range slices.Sorted(maps.Keys(responses)) {
		host := listen(t, responses[name])
		all = append(all,
			map[string]any{"url": secretURL("http", host), "http_headers": secrets},
			map[string]any{"url": secretURL("https", host), "http_headers": secrets},
			map[string]any{"url": secretURL("http", unreachable), "proxy_url": secretURL("http", host)},
			map[string]any{"url": secretURL("https", unreachable), "proxy_url": secretURL("http", host), "proxy_connect_header": map[string]any{"x_key": []string{canary}}},
			map[string]any{"url": secretURL("http", unreachable), "oauth2": map[string]any{"client_id": canary, "client_secret": canary, "token_url": secretURL("http", host)}},
			map[string]any{"url": secretURL("http", unreachable), "oauth2": map[string]any{"client_id": canary, "token_url": secretURL("http", unreachable), "proxy_url": secretURL("http", host)}},
		)
	}
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	return append(all, map[string]any{"url": secretURL("https", untrusted.Listener.Addr().String()), "tls_config": map[string]any{"server_name": canary}})
}

// filledEndpoints returns valid endpoints, each with a secret in a different key.
func filledEndpoints(t *testing.T, p sandbox) (all []map[string]any) {
	t.Helper()
	misfits := misfits(t)
	for _, s := range slots() {
		found := !s.leaf || withoutSecret.MatchString(s.String())
		for _, name := range slices.Sorted(maps.Keys(misfits)) {
			if found {
				break
			}
			const address = "http://" + canary + "@127.0.0.1:1/" + canary
			p.configure(t, strings.Replace(configuration(t, endpointWith(s, placeholder, address)), placeholder, misfits[name], 1))
			cfg, err := config.Load(p.config, func(string) string { return p.home })
			if err != nil || push.Check(endpoints(cfg)) != nil {
				continue
			}
			found = true
			all = append(all, endpointWith(s, rawValue(t, misfits[name]), address))
		}
		if !found {
			t.Errorf("no endpoint has a secret in %s", s)
		}
	}
	return all
}

// withoutSecret matches keys that cannot hold the secret: they accept no arbitrary
// text, need a valid certificate, a secret manager or a grant type other than client
// credentials, or are the name, which is public.
var withoutSecret = regexp.MustCompile(`^(name|interval|remote_timeout|protobuf_message|follow_redirects|enable_http2|(oauth2\.)?proxy_from_environment|.*_ref|` +
	`(oauth2\.)?tls_config\.(insecure_skip_verify|m.._version|cert|key|cert_file|key_file|ca|ca_file)|oauth2\.(signature_algorithm|grant_type|client_certificate_key(_file)?))$`)

// Remote write shows no secret in the log, the metrics and the pages, neither from
// responses of servers, proxies and token servers nor from a key of remote_write. It
// follows no redirect.
func TestRequestsShowNoSecret(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed: %s %s %v", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	p := newSandbox(t)
	all := append(hostileEndpoints(t, elsewhere.URL), filledEndpoints(t, p)...)
	var some []map[string]any
	for i, e := range all {
		e["name"], e["interval"] = fmt.Sprintf("endpoint-%d", i), "1s"
		if i%14 == 0 {
			some = append(some, e)
		}
	}
	p.configure(t, configuration(t, all...))
	cfg, err := config.Load(p.config, func(string) string { return p.home })
	if err != nil {
		t.Fatal(err)
	}
	log, page := sendAll(t, endpoints(cfg))
	checkSecret(t, "the metrics", page)
	checkSecret(t, "the log", log)
	if n := strings.Count(log, "remote-write endpoint"); n < len(all)/2 {
		t.Errorf("got %d endpoints in the log, want most of %d", n, len(all))
	}

	p.configure(t, configuration(t, some...))
	d := p.start(t, "--log.level=debug").ready()
	polltest.Eventually(t, "some endpoints were tried", func() bool { return tried(d.page("/metrics")) == len(some) })
	d.checkSecret(t, "sending")
	d.kill()
	checkSecret(t, "the log of the daemon", d.log.String())
	checkSecret(t, "the command line", strings.Join(d.cmd.Args, " "))
}

// sendAll sends to each endpoint at least once, and returns the log and the metrics.
func sendAll(t *testing.T, all []push.Endpoint) (logged, page string) {
	t.Helper()
	var log polltest.Buffer
	source, registry := prometheus.NewRegistry(), prometheus.NewRegistry()
	source.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "a_total"}))
	sender := newPusher(prometheus.ToTransactionalGatherer(source), metrics.NewDaemon(registry),
		slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err := sender.Configure(all); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sender.Run(ctx)
	}()
	defer func() { <-ended }()
	defer stop()
	polltest.Eventually(t, "every endpoint was tried", func() bool {
		w := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		page = w.Body.String()
		return tried(page) == len(all)
	})
	stop()
	<-ended
	return log.String(), page
}

// tried returns the number of endpoints that were tried, according to the metrics.
func tried(page string) int {
	names := make(map[string]bool)
	for _, m := range sentOrFailed.FindAllStringSubmatch(page, -1) {
		names[m[1]] = true
	}
	return len(names)
}

var sentOrFailed = regexp.MustCompile(`(?m)^ccwatchd_remote_write_(?:samples|failures)_total\{.*remote_name="([^"]+)"\} [1-9]`)
