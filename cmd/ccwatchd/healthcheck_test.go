package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

func TestURLOfAnAddress(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:10229":      "http://localhost:10229",
		":10229":               "http://localhost:10229",
		"0.0.0.0:80":           "http://localhost:80",
		"[::]:80":              "http://localhost:80",
		"[::1]:80":             "http://[::1]:80",
		"192.0.2.1:80":         "http://192.0.2.1:80",
		"metrics.example:9090": "http://metrics.example:9090",
		"vsock://:9100":        "http://vsock://:9100", // cannot be asked, and says so
	} {
		if got := urlOf(address); got != want {
			t.Errorf("%s is asked at %s, want %s", address, got, want)
		}
	}
}

// What several kinds of servers answer to somebody who asks how they are.
func TestAsking(t *testing.T) {
	answers := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	for _, test := range []struct {
		name                   string
		handler                http.Handler
		tls                    bool
		healthy, ready, status string // what the error holds, "" for none
	}{
		{"ready", answers(200, `{"pid":7,"ready":true}`), false, "", "", ""},
		{"behind TLS", answers(200, `{"pid":7,"ready":true}`), true, "", "", ""},
		{"catching up", answers(503, "catching up\nmore"), false, " answers 503: catching up", " answers 503: catching up", " answers 503, and not as ccwatchd does"},
		{"password", answers(401, "Unauthorized"), false, "", "asks for a password, so that it cannot be told", "asks for a password"},
		{"something else", answers(200, "<html>"), false, "", "", " answers 200, and not as ccwatchd does"},
		{"something bad", answers(400, "Bad Request"), false, " answers 400: Bad Request", " answers 400: Bad Request", " answers 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(test.handler)
			if server.Start(); test.tls {
				server.Close()
				server = httptest.NewTLSServer(test.handler)
			}
			defer server.Close()
			url := "http://" + server.Listener.Addr().String() + "/"
			_, statusErr := newAsker(url).status(t.Context())
			for _, c := range []struct {
				what, want string
				err        error
			}{
				{"healthy", test.healthy, newAsker(url).healthy(t.Context())},
				{"ready", test.ready, newAsker(url).ready(t.Context())},
				{"status", test.status, statusErr},
			} {
				if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", c.what, c.err, c.want)
				}
			}
		})
	}
}

func TestHealthcheck(t *testing.T) {
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/-/healthy" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer unready.Close()
	p := newPlace(t)
	d := p.start(t).ready()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"by its address", []string{"--web.listen-address=" + d.address, "healthcheck"}, 0, ""},
		{"by its URL", []string{"healthcheck", "--ready", "--url=http://" + d.address}, 0, ""},
		{"not ready, but healthy", []string{"healthcheck", "--url", unready.URL}, 0, ""},
		{"not ready", []string{"healthcheck", "--url", unready.URL, "--ready"}, 1, "answers 503"},
		{"nobody", []string{"healthcheck", "--url=http://" + closed}, 1, "connection refused"},
		{"no URL", []string{"healthcheck", "--url=:"}, 1, "missing protocol scheme"},
	} {
		stdout, stderr, code := p.run(t, test.args...)
		if code != test.code || !strings.Contains(stderr, test.stderr) || stdout != "" || test.code == 0 && stderr != "" {
			t.Errorf("%s: code %d, %q, %q", test.name, code, stdout, stderr)
		}
	}
}

// What went wrong is told to whoever asks how the daemon fares.
func TestStatusTellsTheLastError(t *testing.T) {
	p := newPlace(t)
	d := p.start(t).ready()
	ask := newAsker("http://" + d.address)
	s, err := ask.status(t.Context())
	if err != nil || !s.Ready || s.PID != d.cmd.Process.Pid || s.LastError != nil {
		t.Errorf("it says %+v, %v", s, err)
	}
	p.configure(t, "nonsense: 1\n")
	d.signal(syscall.SIGHUP)
	eventually(t, "the error is told", func() bool {
		s, err := ask.status(t.Context())
		return err == nil && s.LastError != nil && strings.Contains(s.LastError.Text, "nonsense")
	})
}
