package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// The server disconnects slow clients, and serves others at the same time.
func TestSlowClients(t *testing.T) {
	const short = 100 * time.Millisecond
	address := serveFor(t, serverLimits{header: short, exchange: short, idle: short},
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	for _, test := range []struct{ name, request, response string }{
		{"nothing", "", ""},
		{"half a header", "GET / HTTP/1.1\r\nHost: loc", ""},
		{"no body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n", ""},
		{"half a body", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ""},
		{"one request", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "hello"},
		{"one request and a half", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHo", "hello"},
		{"a long header", "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + strings.Repeat("x", 2*maxHeader), "431 Request Header Fields Too Large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// On a busy machine a client may be too slow by accident: it tries again.
			polltest.Eventually(t, "the answer is "+test.response, func() bool {
				conn := dial(t, address, test.request)
				if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
					t.Fatal(err)
				}
				received, err := io.ReadAll(conn) // until the server disconnects
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("the server does not disconnect, after %q", received)
				}
				return bytes.Contains(received, []byte(test.response))
			})
			polltest.Eventually(t, "other clients are served", func() bool { return responds(address) })
		})
	}
}

// dial returns a connection with a request, closed at the end of the test.
func dial(t *testing.T, address, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, request) // the server may disconnect during the write
	return conn
}

// responds reports whether a server responds to a request.
func responds(address string) bool {
	a, err := http.Get("http://" + address)
	return err == nil && a.Body.Close() == nil && a.StatusCode == http.StatusOK
}

// The server stops writing to a client that does not read, and serves others at the
// same time.
func TestClientThatDoesNotRead(t *testing.T) {
	gaveUp := make(chan struct{})
	address := serveFor(t, serverLimits{header: timeout, exchange: 100 * time.Millisecond, idle: timeout}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/endless" {
			return
		}
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		close(gaveUp)
	})
	dial(t, address, "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
	polltest.Eventually(t, "other clients are served", func() bool { return responds(address) })
	<-gaveUp
}

// serveFor serves with the limits until the end of the test, and returns the address.
func serveFor(t *testing.T, l serverLimits, handler http.HandlerFunc) (address string) {
	t.Helper()
	server := parsed(t, "run").server(handler, l, slog.New(slog.DiscardHandler))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener) //nolint:errcheck // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// A client that does not read its response delays the shutdown until the timeout.
func TestShutDownTimeout(t *testing.T) {
	requested := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(requested)
		<-r.Context().Done()
	}))
	defer server.Close()
	responded := make(chan error, 1)
	go func() {
		a, err := http.Get(server.URL)
		if err == nil {
			err = a.Body.Close()
		}
		responded <- err
	}()
	<-requested
	if err := shutDown(server.Config, time.Millisecond); err != nil {
		t.Error(err)
	}
	if err := <-responded; err == nil {
		t.Error("the client gets a response")
	}
}

// Clients that do not read count as concurrent scrapes. More scrapes than the maximum
// are rejected; other pages are served.
func TestTooManyScrapes(t *testing.T) {
	p := newRaceSandbox(t)
	p.configure(t, "labels: {max_values: {tool: 2000}}\n")
	s := script{cwd: "/home/dev/app", session: uuid(1), at: time.Now()}
	var lines strings.Builder
	for i := range 2000 {
		id := fmt.Sprint(i)
		lines.WriteString(s.call(id, strings.Repeat("tool", 30)+id) + s.result(id, ""))
	}
	writeFile(t, filepath.Join(p.projects(), "app", s.session+".jsonl"), lines.String())
	d := p.start(t, "--web.max-requests=2").ready()
	status := func(path string) response {
		a, err := d.request(http.MethodGet, path, header("Accept", plainText))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	stall := func() net.Conn {
		conn := dial(t, d.address, "")
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10) // limits the buffered part of the response
		}
		if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		begin := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(conn, begin); err != nil || string(begin) != "HTTP/1.1 200" {
			t.Fatalf("got %q, %v", begin, err)
		}
		return conn
	}
	first, second := stall(), stall()
	if a := status("/metrics"); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" ||
		a.body != "More than 2 concurrent requests, try again later.\n" {
		t.Errorf("status %d, headers %v, %d bytes", a.status, a.header, len(a.body))
	}
	for _, path := range []string{"/", "/-/healthy", "/-/ready"} {
		if a := status(path); a.status != http.StatusOK {
			t.Errorf("%s: status %d", path, a.status)
		}
	}
	_ = first.Close()
	polltest.Eventually(t, "another scrape is served", func() bool { return status("/metrics").status == http.StatusOK })
	_ = second.Close()
	d.stop()
}
