// Package statusclient requests the status of a running daemon.
package statusclient

import (
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

	"github.com/ccwatchd/ccwatchd/metrics"
)

// timeout is the limit for one request.
const timeout = 5 * time.Second

// maxResponse is the number of bytes of a response that are read.
const maxResponse = 1 << 20

var (
	// ErrPassword is the error of a daemon that requires a password.
	ErrPassword   = errors.New("requires a password")
	errUnexpected = errors.New("responds with status")
)

// A Client requests the status of a daemon. It is for one goroutine at a time.
type Client struct {
	url  string // without a trailing slash
	http *http.Client
}

// New returns a client for the daemon at a URL. It accepts every certificate: it sends
// no secrets, and the response is only displayed.
func New(url string) *Client {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	return &Client{strings.TrimSuffix(url, "/"), &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
			DisableKeepAlives: true,                                  // no connections to close later
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
func (c *Client) Status(ctx context.Context) (s metrics.Status, err error) {
	code, body, err := c.get(ctx, "/-/status")
	switch {
	case err != nil:
		return s, err
	case code == http.StatusUnauthorized:
		return s, fmt.Errorf("%s %w", c.url, ErrPassword)
	case code != http.StatusOK || json.Unmarshal(body, &s) != nil || s.PID == 0:
		return s, fmt.Errorf("%s %w %d, but not as ccwatchd: expected http://HOST:PORT", c.url, errUnexpected, code)
	}
	return s, nil
}

// Healthy returns nil if the daemon serves requests, including one that requires a
// password.
func (c *Client) Healthy(ctx context.Context) error {
	code, body, err := c.get(ctx, "/-/healthy")
	if err != nil || code == http.StatusOK || code == http.StatusUnauthorized {
		return err
	}
	return c.unexpected(code, body)
}

// Ready returns nil if the daemon has read everything.
func (c *Client) Ready(ctx context.Context) error {
	code, body, err := c.get(ctx, "/-/ready")
	switch {
	case err != nil || code == http.StatusOK:
		return err
	case code == http.StatusUnauthorized:
		return fmt.Errorf("%s %w: its readiness is unknown", c.url, ErrPassword)
	}
	return c.unexpected(code, body)
}

func (c *Client) unexpected(code int, body []byte) error {
	line, _, _ := strings.Cut(string(body), "\n")
	return fmt.Errorf("%s %w %d: %s", c.url, errUnexpected, code, line)
}

// get requests a path. It switches to TLS if the daemon requires that.
func (c *Client) get(ctx context.Context, path string) (code int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("connect to %s: %w", c.url, err)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("connect to ccwatchd: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	body, err = io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return 0, nil, fmt.Errorf("read the response of %s: %w", c.url, err)
	}
	rest, plain := strings.CutPrefix(c.url, "http://")
	if plain && response.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "HTTPS server") {
		c.url = "https://" + rest
		return c.get(ctx, path)
	}
	return response.StatusCode, body, nil
}
