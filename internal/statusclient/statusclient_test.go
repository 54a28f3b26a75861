package statusclient

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
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
		stream                 string // in the error, or the response
	}{
		{"ready", respond(200, `{"pid":7,"ready":true}`), false, "", "", "", `"ready":true`},
		{"behind TLS", respond(200, `{"pid":7,"ready":true}`), true, "", "", "", `"ready":true`},
		{"catching up", respond(503, "catching up\nmore"), false, " responds with status 503: catching up", " responds with status 503: catching up", " responds with status 503, but not as ccwatchd", " responds with status 503: catching up"},
		{"password", respond(401, "Unauthorized"), false, "", "use the page in a browser: its readiness is unknown", "requires a password", "requires a password"},
		{"another server", respond(200, "<html>"), false, "", "", " responds with status 200, but not as ccwatchd", "<html>"},
		{"bad request", respond(400, "Bad Request"), false, " responds with status 400: Bad Request", " responds with status 400: Bad Request", " responds with status 400", " responds with status 400: Bad Request"},
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
			if got := stream(t, New(url)); !strings.Contains(got, test.stream) {
				t.Errorf("stream: got %q, want %q", got, test.stream)
			}
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

// stream returns the response to a request for a long response, or the error.
func stream(t *testing.T, c *Client) string {
	t.Helper()
	response, err := c.Stream(t.Context(), "/api")
	if err != nil {
		return err.Error()
	}
	b, err := io.ReadAll(response)
	if err := errors.Join(err, response.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A streamed response is not limited in size.
func TestStreamLong(t *testing.T) {
	text := strings.Repeat("0123456789", maxResponse/5)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	defer server.Close()
	if got := stream(t, New(server.URL)); got != text {
		t.Errorf("got %d bytes, want %d", len(got), len(text))
	}
}

// A redirect is not followed: the request is for the daemon alone.
func TestRedirect(t *testing.T) {
	var requests atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer other.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		err := New(server.URL).Post(t.Context(), "/api", []byte("{}"))
		_, streamErr := New(server.URL).Stream(t.Context(), "/api")
		server.Close()
		if !errors.Is(err, ErrUnavailable) || !errors.Is(streamErr, ErrUnavailable) {
			t.Errorf("%d: got %v and %v", status, err, streamErr)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

// A response that switches protocols ends, although its connection stays open.
func TestSwitchedProtocol(t *testing.T) {
	var kept net.Conn
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kept, _, _ = http.NewResponseController(w).Hijack()
		_, _ = kept.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"))
	}))
	defer server.Close()
	if _, err := New(server.URL).Status(t.Context()); !errors.Is(err, errUnexpected) {
		t.Errorf("got %v, want %v", err, errUnexpected)
	}
	_ = kept.Close()
}
