package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
	"github.com/ccwatchd/ccwatchd/internal/redact"
)

// A reason is the value of the label reason of a failed request.
type reason string

const (
	unreachable reason = "unreachable"  // no response in time
	rateLimited reason = "rate_limited" // 429
	serverError reason = "server_error" // 5xx
	rejected    reason = "rejected"     // any other status except success, and an unconfirmed success
)

var reasons = []reason{unreachable, rateLimited, serverError, rejected}

// A failure is the error of a failed request.
type failure struct {
	reason     reason
	status     int           // of the response, 0 for none
	retryAfter time.Duration // minimum delay of a retry, from the server
	unsent     bool          // no connection was made
	err        error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// retryable reports whether the same request may be accepted in a moment.
func (f *failure) retryable() bool { return f.reason != rejected }

// maxRetryAfter limits the delay that a server can request.
const maxRetryAfter = time.Hour

// retryDelay returns the delay of a retry: between half and a full backoff, since
// jitter keeps many daemons from retrying at the same time, or the delay that the
// server requests if it is longer.
func (f *failure) retryDelay(backoff time.Duration) time.Duration {
	jittered := backoff/2 + rand.N(backoff/2+1) //nolint:gosec // not a secret
	return max(jittered, min(f.retryAfter, maxRetryAfter))
}

// Refused reports whether the error means that a server refused the samples, and may
// accept other samples.
func Refused(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && slices.Contains(refusals, f.status)
}

// maybeStored reports whether the server may have stored the samples of a failed
// request: it may have received the request, and did not respond.
func maybeStored(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return !ok || f.reason == unreachable && !f.unsent
}

// A client sends requests to one server, one at a time.
type client struct {
	api       *remote.API
	http      *http.Client
	transport *transport
	protocol  remote.WriteMessageType
	timeout   time.Duration
}

// newClient returns an error if it cannot read a file, such as a certificate. The error
// quotes nothing of the endpoint except its host.
func newClient(e *Endpoint) (*client, error) {
	hc, err := newAuthorizedClient(e)
	if errors.Is(err, errGrant) {
		return nil, errGrant
	}
	if err != nil {
		return nil, fmt.Errorf("make HTTP client, check tls_config and its files: %w", redact.Error(err))
	}
	t := &transport{next: hc.Transport, headers: e.Headers, userAgent: e.UserAgent}
	hc.Transport = t
	api, err := remote.NewAPI(e.URL, remote.WithAPIHTTPClient(hc), remote.WithAPIPath(""),
		remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1})) // a retry sends newer values
	if err != nil {
		return nil, errURL
	}
	return &client{api: api, http: hc, transport: t, protocol: e.Protocol, timeout: e.Timeout}, nil
}

// newAuthorizedClient returns an HTTP client that uses an authorizer for OAuth2 tokens.
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

// newHTTPClient returns an HTTP client that follows no redirects: only the configured
// server may get headers with secrets, the query and the body.
func newHTTPClient(settings config.HTTPClientConfig, name string) (*http.Client, error) {
	settings.FollowRedirects = false
	hc, err := config.NewClientFromConfig(settings, name, config.WithDialContextFunc(loopback.DialContext))
	if err == nil {
		hc.Transport = noUpgrade{hc.Transport}
	}
	return hc, err
}

// noUpgrade ends connections that switch protocols. The context of a request does not
// end the reading of such a response.
type noUpgrade struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (n noUpgrade) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.RoundTripper.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close()
		response.Body = http.NoBody
	}
	return response, err
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (n noUpgrade) CloseIdleConnections() { closeIdle(n.RoundTripper) }

func isRedirect(status int) bool { return status/100 == 3 }

func (c *client) close() { c.http.CloseIdleConnections() }

// write sends a request. The error is a *failure.
func (c *client) write(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	c.transport.status, c.transport.unsent, c.transport.err = 0, false, errNoResponse
	_, err := c.api.Write(ctx, c.protocol, m)
	if err == nil {
		return nil
	}
	return c.classify(err)
}

const (
	errNoResponse  = redact.SafeError("no response")
	errURL         = redact.SafeError("invalid URL")
	errStatus      = redact.SafeError("server returned")
	errRedirect    = redact.SafeError("the endpoint redirects, configure the final URL: server returned")
	errNotFound    = redact.SafeError("nothing receives remote write at this URL; Prometheus does at /api/v1/write with --web.enable-remote-write-receiver: server returned")
	errUnconfirmed = redact.SafeError("the server did not confirm that it stored the samples: it may not support protocol 2")
)

// classify returns the failure for an error of the client library, which quotes the URL
// and the body of the response and is therefore replaced.
func (c *client) classify(err error) *failure {
	status := c.transport.status
	f := &failure{status: status, err: fmt.Errorf("%w %s", errStatus, redact.Status(status))}
	if delayed, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		f.retryAfter = delayed.RetryAfter()
	}
	switch {
	case status == 0:
		f.reason, f.unsent, f.err = unreachable, c.transport.unsent, c.transport.err
	case status == http.StatusTooManyRequests:
		f.reason = rateLimited
	case status/100 == 5:
		f.reason = serverError
	case status/100 == 2:
		f.reason, f.err = rejected, errUnconfirmed
	case isRedirect(status):
		f.reason, f.err = rejected, fmt.Errorf("%w %s", errRedirect, redact.Status(status))
	case status == http.StatusNotFound:
		f.reason, f.err = rejected, fmt.Errorf("%w %s", errNotFound, redact.Status(status))
	default:
		f.reason = rejected
	}
	return f
}

// refusals are the statuses for samples that are too old or out of order: of
// Prometheus, Mimir and Cortex; of Thanos; and of some further servers.
var refusals = []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity}

// A transport adds headers to requests and records the status of responses.
type transport struct {
	next      http.RoundTripper
	headers   map[string]string
	userAgent string
	status    int   // of the last response, 0 for none
	unsent    bool  // there is no response since no connection was made
	err       error // redacted reason for no response
}

// maxDiscarded limits how much of a response is read to reuse its connection.
const maxDiscarded = 64 << 10

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.userAgent)
	for name, value := range t.headers {
		r.Header.Set(name, value)
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		op, ok := errors.AsType[*net.OpError](err)
		t.unsent, t.err = ok && op.Op == "dial", redact.Error(err)
		return nil, err
	}
	t.status = response.StatusCode
	_, _ = io.CopyN(io.Discard, response.Body, maxDiscarded)
	_ = response.Body.Close()
	response.Body = http.NoBody
	return response, nil
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t *transport) CloseIdleConnections() { closeIdle(t.next) }

func closeIdle(t http.RoundTripper) {
	if idle, ok := t.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}
