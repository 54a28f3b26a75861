// Package statusclient requests the status and the counts of a running daemon.
package statusclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
	"github.com/ccwatchd/ccwatchd/internal/status"
)

// timeout is the limit for one request, or for the header of a streamed response.
const timeout = 5 * time.Second

// maxResponse is the number of bytes of a response that are read.
const maxResponse = 1 << 20

// A Client requests the status of a daemon. It is for one goroutine at a time.
type Client struct {
	url      string // without a trailing slash
	instance string // of the daemon to request; "" for any
	fallback string // URL for the case that the daemon is not at url, or ""
	http     *http.Client
}

// New returns a client for the daemon at a URL. It connects to no other server: it
// follows no redirects. It accepts every certificate: it sends no secrets, and the
// response is only displayed.
func New(url string) *Client {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	return &Client{url: strings.TrimSuffix(url, "/"), http: &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:           loopback.DialContext,
			TLSClientConfig:       &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
			DisableKeepAlives:     true,                                  // no connections to close later
			ResponseHeaderTimeout: timeout,
		},
	}}
}

// URL returns the URL of a daemon on this machine that listens on an address.
func URL(address string) string { return "http://" + Target(address) }

// Target returns the host and port of a daemon on this machine that listens on an
// address. The unspecified address becomes localhost.
func Target(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// URL returns the URL of the daemon. Its scheme is https once the daemon has required
// TLS.
func (c *Client) URL() string { return c.url }

// Status returns the status of the daemon.
func (c *Client) Status(ctx context.Context) (s status.Status, err error) {
	response, err := c.open(ctx, c.http, http.MethodGet, "/-/status", nil)
	if err != nil {
		return s, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	body, err := readAll(response)
	refused := c.refusal(response.StatusCode, body)
	switch {
	case err != nil:
		return s, err
	case refused != nil:
		return s, refused
	case response.StatusCode != http.StatusOK || json.Unmarshal(body, &s) != nil || s.PID == 0:
		return s, fmt.Errorf("%s %w %d, but not as ccwatchd: expected http://HOST:PORT", c.url, errUnexpected, response.StatusCode)
	}
	return s, nil
}

// Healthy returns nil if the daemon serves requests, even if it requires a password.
func (c *Client) Healthy(ctx context.Context) error {
	if err := c.exchange(ctx, http.MethodGet, "/-/healthy", nil); !errors.Is(err, ErrPassword) {
		return err
	}
	return nil
}

// Ready returns nil if the daemon has read everything.
func (c *Client) Ready(ctx context.Context) error {
	err := c.exchange(ctx, http.MethodGet, "/-/ready", nil)
	if errors.Is(err, ErrPassword) {
		return fmt.Errorf("%w: its readiness is unknown", err)
	}
	return err
}

// Post sends JSON to a path. A client for an instance finds it first: another program
// at its URL gets no body.
func (c *Client) Post(ctx context.Context, path string, body []byte) error {
	if c.HasInstance() {
		if _, err := c.Status(ctx); err != nil {
			return err
		}
	}
	return c.exchange(ctx, http.MethodPost, path, body)
}

// exchange sends a request whose response has no content but an error.
func (c *Client) exchange(ctx context.Context, method, path string, body []byte) error {
	response, err := c.request(ctx, c.http, method, path, body)
	if err != nil {
		return err
	}
	return response.Close()
}

// Stream returns the response to a request for a path, which may be long. The caller
// must close it.
func (c *Client) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	unlimited := *c.http
	unlimited.Timeout = 0
	return c.request(ctx, &unlimited, http.MethodGet, path, nil)
}

// request returns the body of a successful response. The caller must close it.
func (c *Client) request(ctx context.Context, client *http.Client, method, path string, body []byte) (io.ReadCloser, error) {
	response, err := c.open(ctx, client, method, path, body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 == 2:
		return response.Body, nil
	}
	defer response.Body.Close() //nolint:errcheck // only read
	answer, err := readAll(response)
	switch {
	case err != nil:
		return nil, err
	case c.refusal(response.StatusCode, answer) != nil:
		return nil, c.refusal(response.StatusCode, answer)
	}
	return nil, c.unexpected(response.StatusCode, answer)
}

// open sends a request, with a body of JSON unless it is nil. It switches to TLS if the
// daemon requires that.
func (c *Client) open(ctx context.Context, client *http.Client, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", c.url, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(r)
	if c.fallback != "" && c.isElsewhere(response, err) {
		c.url, c.instance, c.fallback = c.fallback, "", ""
		return c.open(ctx, client, method, path, body)
	}
	if err != nil {
		return nil, c.connectError(err)
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close() // no timeout would end the reading
		response.Body = http.NoBody
	}
	rest, plain := strings.CutPrefix(c.url, "http://")
	if !plain || response.StatusCode != http.StatusBadRequest {
		return response, nil
	}
	defer response.Body.Close() //nolint:errcheck // only read
	answer, err := readAll(response)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(answer), "HTTPS server") {
		c.url = "https://" + rest
		return c.open(ctx, client, method, path, body)
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	return response, nil
}

func readAll(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("read the response of %s: %w", response.Request.URL.Redacted(), err)
	}
	return body, nil
}
