package statusclient

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/test/nettest"
)

// A client for an instance requests another daemon only if the instance is not at its
// URL.
func TestInstance(t *testing.T) {
	serve := func(instance string, code int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if instance != "" {
				w.Header().Set(status.InstanceHeader, instance)
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(`{"pid":7}`))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	closed := "http://" + nettest.Refused(t)
	other := serve("other", 200)
	for _, test := range []struct {
		name, url string
		stays     bool // at its URL
	}{
		{"there", serve("ours", 200), true},
		{"catching up", serve("ours", 503), true},
		{"behind a password", serve("", 401), true},
		{"behind a rate limit", serve("", 429), true},
		{"with a broken file", serve("", 500), true},
		{"killed", closed, false},
		{"replaced by another daemon", serve("theirs", 200), false},
		{"replaced by an older daemon", serve("", 200), false},
		{"replaced by another server", serve("", 404), false},
	} {
		c := NewFor(test.url, "ours", other)
		_, err := c.Status(t.Context())
		want := other
		if test.stays {
			want = test.url
		}
		if c.URL() != want || c.HasInstance() != test.stays || !test.stays && err != nil {
			t.Errorf("%s: requested %s, has instance: %v, %v; want %s", test.name, c.URL(), c.HasInstance(), err, want)
		}
	}
}

// The web server of a daemon refuses requests for several reasons, which an error names
// with a remedy.
func TestRefusals(t *testing.T) {
	for code, want := range map[int]error{
		http.StatusUnauthorized: ErrPassword, http.StatusTooManyRequests: ErrOverloaded, http.StatusInternalServerError: ErrWebConfig,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, http.StatusText(code), code)
		}))
		_, statusErr := New(server.URL).Status(t.Context())
		_, streamErr := New(server.URL).Stream(t.Context(), "/api")
		server.Close()
		if !errors.Is(statusErr, want) || !errors.Is(streamErr, want) || !strings.Contains(want.Error(), ": ") {
			t.Errorf("%d: got %v and %v, want %v", code, statusErr, streamErr, want)
		}
	}
}

// Only the daemon with the instance gets what a client for an instance posts, or a
// daemon at the fallback.
func TestPostToInstance(t *testing.T) {
	for _, test := range []struct {
		name, instance string
		code           int
		posted         string // "own" or "fallback"
	}{
		{"the instance", "ours", 200, "own"},
		{"another daemon", "theirs", 200, "fallback"},
		{"a server with a password", "", 401, ""},
		{"another server", "", 404, "fallback"},
	} {
		posted := ""
		serve := func(name, instance string, code int) string {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posted += name
				}
				if instance != "" {
					w.Header().Set(status.InstanceHeader, instance)
				}
				w.WriteHeader(code)
				_, _ = w.Write([]byte(`{"pid":7}`))
			}))
			t.Cleanup(server.Close)
			return server.URL
		}
		c := NewFor(serve("own", test.instance, test.code), "ours", serve("fallback", "any", 200))
		err := c.Post(t.Context(), "/api", []byte("{}"))
		if posted != test.posted || (err == nil) != (test.posted != "") {
			t.Errorf("%s: posted to %q, want %q; %v", test.name, posted, test.posted, err)
		}
	}
}

// A server that refuses a TLS handshake is reachable: it cannot read its file.
func TestUnreachable(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, errRefused }}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	_, err := New("http://" + server.Listener.Addr().String()).Status(t.Context())
	server.Close()
	if IsUnreachable(err) || !errors.Is(err, ErrWebConfig) {
		t.Errorf("a server that refuses TLS: got %v", err)
	}
	if _, err = New("http://" + nettest.Refused(t)).Status(t.Context()); !IsUnreachable(err) {
		t.Errorf("no server: got %v", err)
	}
}

var errRefused = errors.New("refused")
