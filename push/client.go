package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/config"
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

// newClient complains of what it needs and cannot read, such as a certificate.
func newClient(e *Endpoint) (*client, error) {
	hc, err := config.NewClientFromConfig(e.HTTP, e.Name)
	if err != nil {
		return nil, fmt.Errorf("make HTTP client: %w", err)
	}
	to, err := url.Parse(e.URL)
	if err != nil {
		return nil, errURL // and not err, which has it in it
	}
	t := &transport{next: hc.Transport, host: to.Host, headers: e.Headers, userAgent: e.UserAgent}
	hc.Transport = t
	api, err := remote.NewAPI(e.URL, remote.WithAPIHTTPClient(hc), remote.WithAPIPath(""),
		remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1})) // whoever tries again has other values by then
	if err != nil {
		return nil, errURL
	}
	return &client{api: api, http: hc, transport: t, protocol: e.Protocol, timeout: e.Timeout}, nil
}

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

var (
	errNoAnswer  = errors.New("there is no answer")
	errURL       = errors.New("the URL cannot be used")
	errStatus    = errors.New("the server answers with HTTP status")
	errProtocol2 = errors.New("the server does not confirm that it has stored anything, so it may not know protocol 2")
)

// judge says what to do about an error. It is not told as it is, since addresses
// may have secrets in them, and the answers of servers may quote labels.
func (c *client) judge(err error) *failure {
	status := c.transport.status
	f := &failure{err: fmt.Errorf("%w %d %s", errStatus, status, http.StatusText(status))}
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
	default:
		f.reason = rejected
	}
	return f
}

// A transport adds headers to requests, and keeps of answers what matters.
type transport struct {
	next      http.RoundTripper
	host      string // that gets the headers, and no other that it redirects to
	headers   map[string]string
	userAgent string
	status    int   // of the last answer
	err       error // why there was none
}

// maxAnswer is how much of an answer is read, so that the connection can be used
// again.
const maxAnswer = 64 << 10

// RoundTrip implements http.RoundTripper. Of a request that a server redirects such
// that nothing is sent any more, as to a page for logging in, the answer to the first
// one counts: the page would be there with success.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		return nil, errNoAnswer
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.userAgent)
	if r.URL.Host == t.host {
		for name, value := range t.headers {
			r.Header.Set(name, value)
		}
	}
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		t.err = firstLine(err)
		return nil, err
	}
	t.status = answer.StatusCode
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // whatever it says
	_ = answer.Body.Close()
	answer.Body = http.NoBody
	return answer, nil
}

// firstLine returns what an error says before it quotes others.
func firstLine(err error) error {
	line, _, quotes := strings.Cut(err.Error(), "\n")
	if !quotes {
		return err
	}
	return errors.New(line)
}

// CloseIdleConnections is called by the client of the same method.
func (t *transport) CloseIdleConnections() {
	if idle, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}
