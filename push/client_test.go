package push

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/test/nettest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// testMessage is a request with one sample.
func testMessage(p remote.WriteMessageType) message {
	return encode(nil, p, []*series{{labels: labels(appendLabels(nil, []label{{"__name__", "hush_total"}})), samples: []sample{{1, 1}}}})
}

func write(t *testing.T, e Endpoint) error {
	t.Helper()
	c, err := newClient(&e)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	return c.write(context.Background(), testMessage(e.Protocol))
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name       string
		protocol   remote.WriteMessageType
		status     int
		retryAfter string
		want       failure
		retryable  bool
		text       string
	}{
		{"rate limited", remote.WriteV1MessageType, 429, "7", failure{reason: rateLimited, retryAfter: 7 * time.Second}, true, "server returned HTTP status 429 Too Many Requests"},
		{"unavailable, invalid Retry-After", remote.WriteV2MessageType, 503, "soon", failure{reason: serverError}, true, "server returned HTTP status 503 Service Unavailable"},
		{"server error", remote.WriteV1MessageType, 500, "", failure{reason: serverError}, true, "server returned HTTP status 500 Internal Server Error"},
		{"bad request", remote.WriteV1MessageType, 400, "7", failure{reason: rejected}, false, "server returned HTTP status 400 Bad Request"},
		{"unauthorized", remote.WriteV2MessageType, 401, "", failure{reason: rejected}, false, "server returned HTTP status 401 Unauthorized"},
		{"redirect", remote.WriteV1MessageType, 302, "", failure{reason: rejected}, false, "the endpoint redirects, configure the final URL: server returned HTTP status 302 Found"},
		{"unconfirmed", remote.WriteV2MessageType, 204, "", failure{reason: rejected}, false, "the server did not confirm that it stored the samples: it may not support protocol 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReceiver(t)
			r.setRespond(func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n > 1 {
					w.WriteHeader(http.StatusOK) // of a login page
					return true
				}
				w.Header().Set("Location", "/login")
				if test.retryAfter != "" {
					w.Header().Set("Retry-After", test.retryAfter)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(strings.Repeat("hush_total ", 100_000)))
				return true
			})
			e := testEndpoint(r.URL)
			e.Protocol = test.protocol
			err := write(t, e)
			got, ok := errors.AsType[*failure](err)
			if !ok || got.reason != test.want.reason || got.retryable() != test.retryable || got.retryAfter != test.want.retryAfter {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if ok && got.Error() != test.text {
				t.Errorf("got %q, want %q", got, test.text)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	hangs := newReceiver(t)
	hangs.hang()
	for name, address := range map[string]string{"hangs": hangs.URL, "gone": "http://" + nettest.Refused(t)} {
		t.Run(name, func(t *testing.T) {
			e := testEndpoint(strings.Replace(address, "http://", "http://ann:hush@", 1) + "/hush?token=hush")
			send := write
			if name == "hangs" {
				send = writeWithTimeout(func() bool { return len(hangs.requests()) > 0 })
			}
			err := send(t, e)
			got, ok := errors.AsType[*failure](err)
			if !ok || got.reason != unreachable || !got.retryable() {
				t.Errorf("got %+v, want a retryable failure", got)
			}
			if maybeStored(err) != (name == "hangs") {
				t.Errorf("may the server have stored the samples: got %v", maybeStored(err))
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("got a secret: %v", err)
			}
		})
	}
}

// Requests have the configured authentication, headers and TLS settings.
func TestRequest(t *testing.T) {
	r := newUnstartedReceiver(t)
	r.StartTLS()
	ca := writeFile(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})))
	for _, test := range []struct {
		name string
		http config.HTTPClientConfig
		want string
	}{
		{"basic", config.HTTPClientConfig{BasicAuth: &config.BasicAuth{Username: "ann", PasswordFile: writeFile(t, "hush\n")}}, "Basic YW5uOmh1c2g="},
		{"bearer", config.HTTPClientConfig{Authorization: &config.Authorization{Type: "Bearer", CredentialsFile: writeFile(t, "hush")}}, "Bearer hush"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := testEndpoint(r.URL + "/api/v1/push?tenant=a")
			e.Protocol, e.Headers, e.HTTP = remote.WriteV2MessageType, map[string]string{"X-Scope-OrgID": "team"}, test.http
			e.HTTP.TLSConfig.CAFile = ca
			if err := write(t, e); err != nil {
				t.Fatal(err)
			}
			all := r.requests()
			last := all[len(all)-1]
			if last.URL.String() != "/api/v1/push?tenant=a" {
				t.Errorf("got URL %s", last.URL)
			}
			for name, want := range map[string]string{
				"Authorization": test.want, "X-Scope-OrgID": "team", "User-Agent": "ccwatchd/test",
				"Content-Type":                      "application/x-protobuf;proto=io.prometheus.write.v2.Request",
				"X-Prometheus-Remote-Write-Version": "2.0.0",
			} {
				if got := last.Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			delete(r.series, "hush_total")
		})
	}
	t.Run("unknown certificate", func(t *testing.T) {
		err := write(t, testEndpoint(r.URL))
		if got, ok := errors.AsType[*failure](err); !ok || got.reason != unreachable || !strings.Contains(got.Error(), "certificate") {
			t.Errorf("got %v, want a certificate error", err)
		}
	})
}

func TestWait(t *testing.T) {
	busy := func(after time.Duration) error {
		return &failure{reason: rateLimited, retryAfter: after}
	}
	const interval = 15 * time.Second
	for _, test := range []struct {
		name             string
		err              error
		elapsed, backoff time.Duration
		min, max         time.Duration
	}{
		{"success", nil, 2 * time.Second, 0, 13 * time.Second, 13 * time.Second},
		{"slow", nil, time.Minute, 0, 0, 0},
		{"success after failures", nil, 0, interval, interval, interval},
		{"rejected", &failure{reason: rejected}, time.Second, 0, 14 * time.Second, 14 * time.Second},
		{"first failure", busy(0), time.Second, 0, time.Second / 2, time.Second},
		{"second failure", busy(0), time.Second, 2 * time.Second, 2 * time.Second, 4 * time.Second},
		{"many failures", busy(0), time.Second, interval, interval / 2, interval},
		{"Retry-After", busy(time.Minute), 0, 0, time.Minute, time.Minute},
		{"excessive Retry-After", busy(1e9 * time.Second), 0, 0, time.Hour, time.Hour},
		{"negative Retry-After", busy(-24 * time.Hour), 0, 0, time.Second / 2, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 100 {
				e := endpoint{Endpoint: Endpoint{Interval: interval}, backoff: test.backoff}
				if got := e.wait(test.err, test.elapsed); got < test.min || got > test.max {
					t.Fatalf("got %v, want %v to %v", got, test.min, test.max)
				}
			}
		})
	}
}

// A rejection is logged once, and not retried before the next interval.
func TestRejected(t *testing.T) {
	r := newReceiver(t)
	r.respondStatus(http.StatusForbidden)
	l := newPushTest(t)
	counter(l.source, "a_total", 1)
	l.start(testEndpoint(r.URL))
	polltest.Eventually(t, "some requests are rejected", func() bool { return l.sample("failures_total", "rejected") > 5 })
	l.stop()
	if n := strings.Count(l.log.String(), "rejected a request"); n != 1 {
		t.Errorf("got %d rejections logged, want 1:\n%s", n, l.log.String())
	}
	if got := l.sample("last_success", "one"); got != 0 {
		t.Errorf("got last success %v, want 0", got)
	}
}

// A server that hangs delays no other endpoint, and a shutdown only by its timeout.
func TestHangs(t *testing.T) {
	hangs, works := newReceiver(t), newReceiver(t)
	hangs.hang()
	l := newPushTest(t)
	counter(l.source, "a_total", 1)
	first, second := testEndpoint(hangs.URL), testEndpoint(works.URL)
	first.Timeout, second.Name = 300*time.Millisecond, "two"
	l.start(first, second)
	polltest.Eventually(t, "the hanging server has a request", func() bool { return len(hangs.requests()) > 0 })
	works.nextPush()
	l.stop()
	if v := works.values("a_total"); v[len(v)-1] != -1 {
		t.Errorf("got %v, want a staleness marker at the end", v)
	}
}

// A response that switches protocols ends, although its connection stays open.
func TestSwitchedProtocol(t *testing.T) {
	here := newReceiver(t)
	var kept net.Conn
	here.setRespond(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		kept = c
		_, _ = c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: hush\r\n\r\n"))
		return true
	})
	const want = "server returned HTTP status 101 Switching Protocols"
	if err := write(t, testEndpoint(here.URL)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_ = kept.Close()
}

// The receiver reports samples out of order.
func TestClockIsSetBack(t *testing.T) {
	r, l := newReceiver(t), newPushTest(t)
	counter(l.source, "a_total", 1)
	start, n := time.Now(), 0
	l.pusher.Now = func() time.Time { n++; return start.Add(-time.Duration(n) * time.Minute) }
	l.start(testEndpoint(r.URL))
	r.nextPush()
	r.nextPush()
	l.stop()
	if v := r.values("a_total"); len(v) < 4 {
		t.Errorf("got values %v, want at least 4", v)
	}
}
