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

// secretEndpoint is an endpoint with a secret in everything that a request has.
func secretEndpoint(address string) Endpoint {
	e := endpoint(address + "/hush?token=hush")
	e.Headers = map[string]string{"X-Key": "hush"}
	e.HTTP.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{"X-Other-Key": {Secrets: []config.Secret{"hush"}}}}
	e.HTTP.BasicAuth = &config.BasicAuth{Username: "ann", Password: "hush"}
	return e // with FollowRedirects, which must not matter
}

// A redirect is not followed, neither to another host nor another port nor the same
// server, and its target is not shown.
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
				here.Start()
				here.answers(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Location", target)
					w.WriteHeader(status)
					return true
				})
				err := write(t, secretEndpoint(here.URL))
				want := fmt.Sprintf("the endpoint redirects: configure the final URL; it answers with HTTP status %d %s", status, http.StatusText(status))
				if got, ok := errors.AsType[*failure](err); !ok || got.reason != rejected || got.again || got.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				if n := len(here.requests()); n != 1 {
					t.Errorf("the server gets %d requests", n)
				}
			})
		}
	}
	if len(requests) > 0 {
		t.Errorf("another server gets %v", requests[0].Header)
	}
}

// The same holds for the token server, which gets the client's secret.
func TestTokenServerRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, o := range []config.OAuth2{
			{ClientID: "ann", ClientSecret: "hush"},
			{ClientID: "ann", GrantType: grantJWT, ClientCertificateKey: config.Secret(newKey(t))},
		} {
			t.Run(fmt.Sprint(status, o.GrantType), func(t *testing.T) {
				there := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
					body, _ := io.ReadAll(q.Body)
					t.Errorf("another server gets %v %s", q.Header, body)
				}))
				t.Cleanup(there.Close)
				asked := 0
				here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
					if asked++; q.URL.Path != "/token" {
						t.Errorf("the redirect to %s is followed", q.URL)
					}
					w.Header().Set("Location", there.URL+"/hush")
					w.WriteHeader(status)
				}))
				t.Cleanup(here.Close)
				e := endpoint(there.URL)
				e.HTTP.OAuth2 = &o
				o.TokenURL = here.URL + "/token?key=hush"
				err := write(t, e)
				const want = "get OAuth2 token: the token server redirects: configure the final token_url"
				if err == nil || err.Error() != want || asked == 0 {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			})
		}
	}
}
