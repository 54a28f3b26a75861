package push

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/common/config"
)

// secretEndpoint returns an endpoint with a secret in every part of a request.
func secretEndpoint(address string) Endpoint {
	e := testEndpoint(address + "/hush?token=hush")
	e.Headers = map[string]string{"X-Key": "hush"}
	e.HTTP.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{"X-Other-Key": {Secrets: []config.Secret{"hush"}}}}
	e.HTTP.BasicAuth = &config.BasicAuth{Username: "ann", Password: "hush"}
	return e // FollowRedirects is set, and must have no effect
}

// A redirect is not followed, wherever it leads, and its target is not shown.
func TestRedirect(t *testing.T) {
	var requests []*http.Request
	there := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { requests = append(requests, q) }))
	t.Cleanup(there.Close)
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
		for name, target := range map[string]string{
			"another port": there.URL + "/hush", "another host": strings.Replace(there.URL, "127.0.0.1", "localhost", 1) + "/hush",
			"the same server": "/hush", "no URL": "http://hush:hush/%zz", "nothing": "",
		} {
			t.Run(fmt.Sprint(status, " to ", name), func(t *testing.T) {
				here := newReceiver(t)
				here.setRespond(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Location", target)
					w.WriteHeader(status)
					return true
				})
				err := write(t, secretEndpoint(here.URL))
				want := fmt.Sprintf("the endpoint redirects, configure the final URL: server returned HTTP status %d %s", status, http.StatusText(status))
				if got, ok := errors.AsType[*failure](err); !ok || got.reason != rejected || got.retryable() || got.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				if n := len(here.requests()); n != 1 {
					t.Errorf("got %d requests, want 1", n)
				}
			})
		}
	}
	if len(requests) > 0 {
		t.Errorf("the target of a redirect got %v", requests[0].Header)
	}
}

// The error of a server without a receiver names the flag of Prometheus.
func TestNotFound(t *testing.T) {
	here := newReceiver(t)
	here.setRespond(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "hush", http.StatusNotFound)
		return true
	})
	err := write(t, secretEndpoint(here.URL))
	const want = "nothing receives remote write at this URL; Prometheus does at /api/v1/write with --web.enable-remote-write-receiver: server returned HTTP status 404 Not Found"
	if got, ok := errors.AsType[*failure](err); !ok || got.reason != rejected || got.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Redirects of the token server, which receives the client secret, are not followed.
func TestTokenServerRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			there := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
				body, _ := io.ReadAll(q.Body)
				t.Errorf("the target of a redirect got %v %s", q.Header, body)
			}))
			t.Cleanup(there.Close)
			requests := 0
			here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if requests++; q.URL.Path != "/token" {
					t.Errorf("got a request for %s", q.URL)
				}
				w.Header().Set("Location", there.URL+"/hush")
				w.WriteHeader(status)
			}))
			t.Cleanup(here.Close)
			e := testEndpoint(there.URL)
			e.HTTP.OAuth2 = &config.OAuth2{ClientID: "ann", ClientSecret: "hush", TokenURL: here.URL + "/token?key=hush"}
			err := write(t, e)
			const want = "get OAuth2 token: the token server redirects: configure the final token_url"
			if err == nil || err.Error() != want || requests == 0 {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}
