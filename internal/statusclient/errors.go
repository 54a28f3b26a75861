package statusclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

var (
	// ErrPassword is the error of a daemon that requires a password.
	ErrPassword = errors.New("requires a password, which commands do not send: use the page in a browser")
	// ErrOverloaded is the error of a daemon that limits the rate of requests.
	ErrOverloaded = errors.New("limits the rate of requests: try again later, or raise rate_limit in its --web.config.file")
	// ErrWebConfig is the error of a daemon that cannot read the file of its web server.
	ErrWebConfig = errors.New("cannot read its --web.config.file: correct the file, its log has the reason")
	// ErrUnavailable is the error of a server that has no answer: it is a daemon that is
	// catching up or records no history, or a server without the requested path, or one
	// that redirects.
	ErrUnavailable = errors.New("unavailable")
	errUnexpected  = errors.New("responds with status")
)

// A RequestError is the error of a request with invalid parameters.
type RequestError struct{ text string }

// Error returns the text of the response.
func (e *RequestError) Error() string { return e.text }

// An unavailableError is an ErrUnavailable.
type unavailableError struct{ error }

// Is implements the interface of [errors.Is].
func (unavailableError) Is(target error) bool { return target == ErrUnavailable }

// IsUnreachable reports whether a request failed because no server is at the address.
func IsUnreachable(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// connectError returns the error of a request without a response.
func (c *Client) connectError(err error) error {
	// The web server of a daemon answers a TLS handshake so if it cannot read its file.
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "remote error" && failed.Err.Error() == "tls: internal error" {
		return fmt.Errorf("%s %w", c.url, ErrWebConfig)
	}
	if IsUnreachable(err) {
		return &unreachableError{c.url, err}
	}
	return fmt.Errorf("connect to ccwatchd: %w", err)
}

// An unreachableError is the error of a request to an address without a server.
type unreachableError struct {
	url   string
	cause error
}

// Error returns the reason of the operating system, for the first address of the name.
func (e *unreachableError) Error() string {
	reason := e.cause.Error()
	if code, ok := errors.AsType[syscall.Errno](e.cause); ok {
		reason = code.Error()
	}
	return fmt.Sprintf("no daemon answers at %s: %s", e.url, reason)
}

func (e *unreachableError) Unwrap() error { return e.cause }

// refusal returns the error of a response by exporter-toolkit, which has not passed the
// request to the daemon, or nil.
func (c *Client) refusal(code int, body []byte) error {
	text := strings.TrimSpace(string(body))
	switch {
	case code == http.StatusUnauthorized:
		return fmt.Errorf("%s %w", c.url, ErrPassword)
	case code == http.StatusTooManyRequests:
		return fmt.Errorf("%s %w", c.url, ErrOverloaded)
	case code == http.StatusInternalServerError && text == http.StatusText(code):
		return fmt.Errorf("%s %w", c.url, ErrWebConfig)
	}
	return nil
}

// unexpected returns the error that a response states, as JSON or in its first line.
func (c *Client) unexpected(code int, body []byte) error {
	var stated struct{ Error string }
	if json.Unmarshal(body, &stated) != nil || stated.Error == "" {
		stated.Error, _, _ = strings.Cut(string(body), "\n")
	} else if code == http.StatusBadRequest {
		return &RequestError{stated.Error}
	}
	err := fmt.Errorf("%s %w %d: %s", c.url, errUnexpected, code, stated.Error)
	if code == http.StatusServiceUnavailable || code == http.StatusNotFound || code/100 == 3 {
		return unavailableError{err}
	}
	return err
}
