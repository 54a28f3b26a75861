// Package statusclient asks a running daemon for its status.
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

// timeout is the limit for one answer of the daemon.
const timeout = 5 * time.Second

// maxAnswer is the length in bytes up to which an answer is read.
const maxAnswer = 1 << 16

var (
	// ErrPassword is the error of a daemon that requires a password.
	ErrPassword = errors.New("asks for a password")
	errAnswer   = errors.New("answers")
)

// A Client asks a daemon for its status. It is for one goroutine at a time.
type Client struct {
	url  string // without a trailing slash
	http *http.Client
}

// New returns a client for the daemon at a URL. It accepts every certificate: it
// sends no secrets and trusts the answer in nothing but that the daemon runs.
func New(url string) *Client {
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
// address. The unspecified address is that of localhost.
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

// URL returns the URL of the daemon, which is an https one as soon as the daemon has
// answered that it speaks TLS.
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
		return s, fmt.Errorf("%s %w %d, which is not the answer of ccwatchd", c.url, errAnswer, code)
	}
	return s, nil
}

// Healthy returns nil if the daemon serves requests. One that requires a password
// does.
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
	return fmt.Errorf("%s %w %d: %s", c.url, errAnswer, code, line)
}

// get requests a path. It switches to TLS if the daemon requires that.
func (c *Client) get(ctx context.Context, path string) (code int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("ask %s: %w", c.url, err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the daemon: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return 0, nil, fmt.Errorf("read the answer of %s: %w", c.url, err)
	}
	rest, plain := strings.CutPrefix(c.url, "http://")
	if plain && answer.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "HTTPS server") {
		c.url = "https://" + rest
		return c.get(ctx, path)
	}
	return answer.StatusCode, body, nil
}
