package push

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/nettest"
)

// A tokenServer grants a different token to each request.
type tokenServer struct {
	*httptest.Server
	requests []url.Values // with the user and the password
	lifetime int          // of a token, in seconds
}

func newTokenServer(t *testing.T) *tokenServer {
	s := &tokenServer{lifetime: 3600}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_ = q.ParseForm()
		user, password, _ := q.BasicAuth()
		q.PostForm.Set("user", user+":"+password)
		q.PostForm.Set("agent", q.UserAgent())
		s.requests = append(s.requests, q.PostForm)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token": "token-%d", "token_type": "Bearer", "expires_in": %d}`, len(s.requests), s.lifetime)
	}))
	t.Cleanup(s.Close)
	return s
}

// A token is requested again only when it expires or the secret changes.
func TestToken(t *testing.T) {
	r, tokens := newReceiver(t), newTokenServer(t)
	file := writeFile(t, "")
	e := testEndpoint(r.URL)
	e.HTTP.OAuth2 = &config.OAuth2{
		ClientID: "ann", ClientSecretFile: file, TokenURL: tokens.URL, Scopes: []string{"a", "b"}, EndpointParams: map[string]string{"tenant": "t"},
	}
	c, err := newClient(&e)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for i, step := range []struct {
		secret, token string
		lifetime      int
	}{
		{"first\n", "Bearer token-1", 3600}, {"first", "Bearer token-1", 3600}, {"second", "Bearer token-2", 1}, {"second", "Bearer token-3", 3600}, {"second", "Bearer token-3", 3600},
	} {
		filetest.Write(t, file, step.secret)
		tokens.lifetime = step.lifetime
		if err := c.write(context.Background(), testMessage(e.Protocol)); err != nil {
			t.Fatal(err)
		}
		if got := r.requests()[i].Header.Get("Authorization"); got != step.token {
			t.Errorf("request %d: got %q, want %q", i, got, step.token)
		}
		delete(r.series, "hush_total")
	}
	for i, want := range []string{"ann:first", "ann:second", "ann:second"} {
		got := tokens.requests[i]
		if got.Get("user") != want || got.Get("grant_type") != "client_credentials" || got.Get("scope") != "a b" || got.Get("tenant") != "t" || got.Get("agent") != "ccwatchd/test" {
			t.Errorf("token %d: got request %v", i+1, got)
		}
	}
}

// An error of the token server includes neither its response nor the path and query of
// its URL, and the timeout of the endpoint applies.
func TestTokenFailures(t *testing.T) {
	release := make(chan struct{})
	var received atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		status, body := http.StatusUnauthorized, "hush"
		switch q.URL.Path {
		case "/hush/hang":
			received.Store(true)
			<-release
		case "/hush/odd":
			status = http.StatusOK
		case "/hush/empty":
			status, body = http.StatusOK, `{"hush": "hush"}`
		case "/hush/error":
			status, body = http.StatusBadRequest, `{"error": "hush", "error_description": "hush", "error_uri": "hush"}`
		}
		if body != "hush" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	gone := nettest.Refused(t)
	host := strings.TrimPrefix(s.URL, "http://")
	secret := func(url string) config.OAuth2 {
		return config.OAuth2{ClientID: "hush", ClientSecret: "hush", TokenURL: url}
	}
	for _, test := range []struct {
		name   string
		oauth2 config.OAuth2
		want   string
	}{
		{"refused", secret(s.URL + "/hush/?key=hush"), "token server returned HTTP status 401 Unauthorized"},
		{"error response", secret(s.URL + "/hush/error"), "token server returned HTTP status 400 Bad Request"},
		{"no token", secret(s.URL + "/hush/empty"), string(errOAuth2)},
		{"invalid JSON", secret(strings.Replace(s.URL, "://", "://ann:hush@", 1) + "/hush/odd"), string(errOAuth2)},
		{"hangs", secret(s.URL + "/hush/hang?key=hush"), "Post http://" + host + ": context deadline exceeded"},
		{"unreachable", secret("http://" + gone + "/hush?key=hush"), "Post http://" + gone + ": dial tcp " + gone + ": "},
		{"invalid URL", secret("http://hush:hush/%zz"), "invalid URL"},
		{"missing file", config.OAuth2{ClientSecretFile: "hush", TokenURL: s.URL}, "open file: "},
		{"duplicate parameter", config.OAuth2{Scopes: []string{"hush"}, EndpointParams: map[string]string{"scope": "hush"}, TokenURL: s.URL}, string(errOAuth2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := testEndpoint("http://localhost:1")
			e.HTTP.OAuth2 = &test.oauth2
			send := write
			if test.name == "hangs" {
				send = writeWithTimeout(received.Load)
			}
			if err := send(t, e); !matchesError(err, "get OAuth2 token: "+test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	for _, o := range []config.OAuth2{
		{ClientSecretRef: "hush"}, {GrantType: "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {ClientCertificateKey: "hush"},
	} {
		e := testEndpoint("http://localhost:1")
		e.HTTP.OAuth2 = &o
		if _, err := newClient(&e); err == nil || !strings.HasSuffix(err.Error(), errGrant.Error()) {
			t.Errorf("%v: got %v", o, err)
		}
	}
}

// matchesError reports whether an error has a text. After a text that ends with a
// colon, the error has the text of the system.
func matchesError(err error, text string) bool {
	if err == nil {
		return false
	}
	rest, ok := strings.CutPrefix(err.Error(), text)
	return ok && !strings.Contains(rest, "hush") && (rest == "") == !strings.HasSuffix(text, ": ")
}

// An unexpected response of a proxy is not shown.
func TestOddAnswers(t *testing.T) {
	for _, test := range []struct{ name, response, want string }{
		{"refused", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "Proxy Authentication Required"},
		{"refused with a custom status", "HTTP/1.1 403 hush\r\nX-Key: hush\r\n\r\nhush", "the cause is not shown since it may quote a secret"},
		{"not HTTP", "hush hush\r\n\r\n", "the cause is not shown since it may quote a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close() //nolint:errcheck // test listener
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = http.ReadRequest(bufio.NewReader(c))
					_, _ = c.Write([]byte(test.response))
					_ = c.Close()
				}
			}()
			e := testEndpoint("https://ann:hush@localhost:1/hush?key=hush")
			proxy := &url.URL{Scheme: "http", Host: l.Addr().String(), User: url.UserPassword("hush", "hush")}
			e.HTTP.ProxyURL = config.URL{URL: proxy}
			if err := write(t, e); err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}
