package main

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

// askFor is how long an answer of the daemon may take.
const askFor = 5 * time.Second

var (
	errPassword = errors.New("asks for a password")
	errAnswer   = errors.New("answers")
)

// An asker asks a daemon on this machine how it fares.
type asker struct {
	url    string // without a slash at its end
	client *http.Client
}

// newAsker returns one for a daemon at a URL. Whose certificate it shows does
// not matter: nothing is told to it, and of its answer nothing believed but that
// it is there.
func newAsker(url string) *asker {
	return &asker{strings.TrimSuffix(url, "/"), &http.Client{
		Timeout: askFor,
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
			DisableKeepAlives: true,                                  // or they would have to be closed
		},
	}}
}

// urlOf is the URL of a daemon that listens on an address: where that stands
// for every address of the machine, its own one.
func urlOf(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// get asks for a page. If the daemon speaks TLS, so does the asker from then on.
func (a *asker) get(ctx context.Context, path string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+path, http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("ask %s: %w", a.url, err)
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the daemon: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	body, err = io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return 0, nil, fmt.Errorf("read the answer of %s: %w", a.url, err)
	}
	rest, plain := strings.CutPrefix(a.url, "http://")
	if plain && answer.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "HTTPS server") {
		a.url = "https://" + rest
		return a.get(ctx, path)
	}
	return answer.StatusCode, body, nil
}

// status asks how the daemon fares.
func (a *asker) status(ctx context.Context) (s metrics.Status, err error) {
	code, body, err := a.get(ctx, "/-/status")
	switch {
	case err != nil:
		return s, err
	case code == http.StatusUnauthorized:
		return s, fmt.Errorf("%s %w", a.url, errPassword)
	case code != http.StatusOK || json.Unmarshal(body, &s) != nil || s.PID == 0:
		return s, fmt.Errorf("%s %w %d, and not as ccwatchd does", a.url, errAnswer, code)
	}
	return s, nil
}

// healthy returns nil if the daemon serves. One that asks for a password does.
func (a *asker) healthy(ctx context.Context) error {
	code, body, err := a.get(ctx, "/-/healthy")
	if err != nil || code == http.StatusOK || code == http.StatusUnauthorized {
		return err
	}
	return fmt.Errorf("%s %w %d: %s", a.url, errAnswer, code, firstLine(body))
}

// ready returns nil if the daemon has read everything.
func (a *asker) ready(ctx context.Context) error {
	code, body, err := a.get(ctx, "/-/ready")
	switch {
	case err != nil || code == http.StatusOK:
		return err
	case code == http.StatusUnauthorized:
		return fmt.Errorf("%s %w, so that it cannot be told whether it is ready", a.url, errPassword)
	}
	return fmt.Errorf("%s %w %d: %s", a.url, errAnswer, code, firstLine(body))
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
