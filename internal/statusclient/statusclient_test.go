package statusclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestURL(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:10229":      "http://localhost:10229",
		":10229":               "http://localhost:10229",
		"0.0.0.0:80":           "http://localhost:80",
		"[::]:80":              "http://localhost:80",
		"[::1]:80":             "http://[::1]:80",
		"192.0.2.1:80":         "http://192.0.2.1:80",
		"metrics.example:9090": "http://metrics.example:9090",
		"vsock://:9100":        "http://vsock://:9100", // not HTTP, so a request returns an error
	} {
		if got := URL(address); got != want {
			t.Errorf("URL(%q): got %s, want %s", address, got, want)
		}
	}
}

func TestClient(t *testing.T) {
	respond := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	for _, test := range []struct {
		name                   string
		handler                http.Handler
		tls                    bool
		healthy, ready, status string // in the error; "" for none
	}{
		{"ready", respond(200, `{"pid":7,"ready":true}`), false, "", "", ""},
		{"behind TLS", respond(200, `{"pid":7,"ready":true}`), true, "", "", ""},
		{"catching up", respond(503, "catching up\nmore"), false, " responds with status 503: catching up", " responds with status 503: catching up", " responds with status 503, but not as ccwatchd"},
		{"password", respond(401, "Unauthorized"), false, "", "requires a password: its readiness is unknown", "requires a password"},
		{"another server", respond(200, "<html>"), false, "", "", " responds with status 200, but not as ccwatchd"},
		{"bad request", respond(400, "Bad Request"), false, " responds with status 400: Bad Request", " responds with status 400: Bad Request", " responds with status 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(test.handler)
			if server.Start(); test.tls {
				server.Close()
				server = httptest.NewTLSServer(test.handler)
			}
			defer server.Close()
			url := "http://" + server.Listener.Addr().String() + "/"
			_, statusErr := New(url).Status(t.Context())
			for _, c := range []struct {
				name, want string
				err        error
			}{
				{"healthy", test.healthy, New(url).Healthy(t.Context())},
				{"ready", test.ready, New(url).Ready(t.Context())},
				{"status", test.status, statusErr},
			} {
				if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
					t.Errorf("%s: got %v, want %q", c.name, c.err, c.want)
				}
			}
		})
	}
}
