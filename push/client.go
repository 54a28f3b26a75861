package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

// A reason is why a request failed, in one word.
type reason string

// The reasons.
const (
	unreachable reason = "unreachable"  // no answer, or none in time
	rateLimited reason = "rate_limited" // 429
	serverError reason = "server_error" // 5xx
	rejected    reason = "rejected"     // any other status that is no success, and a success that is none
)

// reasons are all of them.
var reasons = []reason{unreachable, rateLimited, serverError, rejected}

// A failure says what has become of a request.
type failure struct {
	reason reason
	again  bool          // trying again may help
	after  time.Duration // but not before, as the server asks
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// answered reports whether the server has answered a request that failed.
func answered(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.reason != unreachable
}

// A client sends requests to one server, one after the other.
type client struct {
	api       *remote.API
	http      *http.Client
	transport *transport
	protocol  remote.WriteMessageType
	timeout   time.Duration
}

// newClient returns an error if it cannot read what it needs, such as a certificate.
// The error quotes nothing of the endpoint but its host.
func newClient(e *Endpoint) (*client, error) {
	hc, err := newAuthorizedClient(e)
	if err != nil {
		return nil, fmt.Errorf("make HTTP client: %w", redact.Error(err))
	}
	t := &transport{next: hc.Transport, headers: e.Headers, userAgent: e.UserAgent}
	hc.Transport = t
	api, err := remote.NewAPI(e.URL, remote.WithAPIHTTPClient(hc), remote.WithAPIPath(""),
		remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1})) // whoever tries again has other values by then
	if err != nil {
		return nil, errURL
	}
	return &client{api: api, http: hc, transport: t, protocol: e.Protocol, timeout: e.Timeout}, nil
}

// newAuthorizedClient returns an HTTP client that gets its tokens, if any, by an
// authorizer.
func newAuthorizedClient(e *Endpoint) (*http.Client, error) {
	settings := e.HTTP
	settings.OAuth2 = nil
	hc, err := newHTTPClient(settings, e.Name)
	if err != nil || e.HTTP.OAuth2 == nil {
		return hc, err
	}
	a, err := newAuthorizer(e.HTTP.OAuth2, e.Name, hc.Transport)
	if err != nil {
		return nil, err
	}
	hc.Transport = a
	return hc, nil
}

// newHTTPClient returns an HTTP client that follows no redirect. Whatever a request
// has in it, such as headers with secrets, a query or a body, is for the configured
// server alone.
func newHTTPClient(settings config.HTTPClientConfig, name string) (*http.Client, error) {
	settings.FollowRedirects = false
	return config.NewClientFromConfig(settings, name)
}

func isRedirect(status int) bool { return status/100 == 3 }

func (c *client) close() { c.http.CloseIdleConnections() }

// write sends a request. What it returns is a *failure, or nil.
func (c *client) write(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	c.transport.status, c.transport.err = 0, errNoAnswer
	_, err := c.api.Write(ctx, c.protocol, m)
	if err == nil {
		return nil
	}
	return c.judge(err)
}

const (
	errNoAnswer  = redact.SafeError("there is no answer")
	errURL       = redact.SafeError("the URL cannot be used")
	errAnswer    = redact.SafeError("the server answers with")
	errRedirect  = redact.SafeError("the endpoint redirects: configure the final URL; it answers with")
	errProtocol2 = redact.SafeError("the server does not confirm that it has stored anything, so it may not know protocol 2")
)

// judge says what to do about an error. The error itself quotes the URL and the
// body of the response, so it is replaced.
func (c *client) judge(err error) *failure {
	status := c.transport.status
	f := &failure{err: fmt.Errorf("%w %s", errAnswer, redact.Status(status))}
	if asks, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		f.after = asks.RetryAfter()
	}
	switch {
	case status == 0:
		f.reason, f.again, f.err = unreachable, true, c.transport.err
	case status == http.StatusTooManyRequests:
		f.reason, f.again = rateLimited, true
	case status/100 == 5:
		f.reason, f.again = serverError, true
	case status/100 == 2:
		f.reason, f.err = rejected, errProtocol2
	case isRedirect(status):
		f.reason, f.err = rejected, fmt.Errorf("%w %s", errRedirect, redact.Status(status))
	default:
		f.reason = rejected
	}
	return f
}

// A transport adds headers to requests, and keeps the status of responses.
type transport struct {
	next      http.RoundTripper
	headers   map[string]string
	userAgent string
	status    int   // of the last answer
	err       error // why there was none; it quotes no secret
}

// maxAnswer is how much of an answer is read, so that the connection can be used
// again.
const maxAnswer = 64 << 10

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.userAgent)
	for name, value := range t.headers {
		r.Header.Set(name, value)
	}
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		t.err = redact.Error(err)
		return nil, err
	}
	t.status = answer.StatusCode
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // whatever it says
	_ = answer.Body.Close()
	answer.Body = http.NoBody
	return answer, nil
}

// CloseIdleConnections is called by the client of the same method.
func (t *transport) CloseIdleConnections() { closeIdle(t.next) }

func closeIdle(t http.RoundTripper) {
	if idle, ok := t.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}
