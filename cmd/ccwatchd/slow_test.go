package main

import (
	"bytes"
	"context"
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
)

// TestSlowClients checks that the server disconnects slow clients, and serves others
// meanwhile.
func TestSlowClients(t *testing.T) {
	const short = 100 * time.Millisecond
	address := serveFor(t, limits{header: short, exchange: short, idle: short},
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	say := func(t *testing.T, what string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, what) // the server may disconnect during the write
		return conn
	}
	for _, test := range []struct{ name, says, hears string }{
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
			// On a busy machine a client may be too slow by accident, and has to try again.
			eventually(t, "the answer is "+test.hears, func() bool {
				conn := say(t, test.says)
				defer conn.Close() //nolint:errcheck // of the test
				if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				heard, err := io.ReadAll(conn) // until the server disconnects
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("the server does not disconnect, after %q", heard)
				}
				return bytes.Contains(heard, []byte(test.hears))
			})
			eventually(t, "other clients get an answer", func() bool {
				return answers(address)
			})
		})
	}
}

// answers reports whether a server answers a request.
func answers(address string) bool {
	a, err := http.Get("http://" + address)
	return err == nil && a.Body.Close() == nil && a.StatusCode == http.StatusOK
}

// The server stops writing to a client that reads nothing, and serves others
// meanwhile.
func TestClientReadsNothing(t *testing.T) {
	gaveUp := make(chan struct{})
	address := serveFor(t, limits{header: patience, exchange: 100 * time.Millisecond, idle: patience}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/endless" {
			return
		}
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		close(gaveUp)
	})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // of the test
	if _, err := io.WriteString(conn, "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "others get an answer", func() bool { return answers(address) })
	<-gaveUp
}

// serveFor serves with the limits until the end of the test, and returns the address.
func serveFor(t *testing.T, l limits, handler http.HandlerFunc) (address string) {
	t.Helper()
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse([]string{"run"}); err != nil {
		t.Fatal(err)
	}
	server := c.server(handler, l, slog.New(slog.DiscardHandler))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener) //nolint:errcheck // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// A client that never reads its answer delays the end until a second signal.
func TestShutDownDoesNotWaitWhenUrgent(t *testing.T) {
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	answered := make(chan error, 1)
	go func() {
		a, err := http.Get(server.URL)
		if err == nil {
			err = a.Body.Close()
		}
		answered <- err
	}()
	<-asked
	ctx, hurry := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- shutDown(ctx, server.Config, longestRun) }()
	select {
	case err := <-ended:
		t.Fatalf("it does not wait for a client, %v", err)
	default:
	}
	hurry()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := <-answered; err == nil {
		t.Error("the client gets an answer")
	}
}

// Who asks and does not read takes the place of a scrape, and others are told to
// come again. Everything else goes on.
func TestTooManyRequests(t *testing.T) {
	p := newPlace(t)
	p.configure(t, "labels: {max_values: {tool: 2000}}\n")
	s := script{cwd: "/home/dev/app", session: uuid(1), at: time.Now()}
	var lines strings.Builder
	for i := range 2000 {
		id := fmt.Sprint(i)
		lines.WriteString(s.call(id, strings.Repeat("tool", 30)+id) + s.result(id, ""))
	}
	writeFile(t, filepath.Join(p.projects(), "app", s.session+".jsonl"), lines.String())
	d := p.start(t, "--web.max-requests=2").ready()
	status := func(path string) answer {
		a, err := d.ask(http.MethodGet, path, plainText)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	stall := func() net.Conn {
		conn, err := net.Dial("tcp", d.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10) // else more of the answer is on its way
		}
		if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		begin := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(conn, begin); err != nil || string(begin) != "HTTP/1.1 200" {
			t.Fatalf("it begins with %q, %v", begin, err)
		}
		return conn
	}
	first, second := stall(), stall()
	if a := status("/metrics"); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" ||
		a.body != "More than 2 concurrent scrapes, try again later.\n" {
		t.Errorf("status %d, headers %v, and it says %d bytes", a.status, a.header, len(a.body))
	}
	for _, path := range []string{"/", "/-/healthy", "/-/ready"} {
		if a := status(path); a.status != http.StatusOK {
			t.Errorf("%s: status %d", path, a.status)
		}
	}
	_ = first.Close()
	eventually(t, "there is room", func() bool { return status("/metrics").status == http.StatusOK })
	_ = second.Close()
	d.stop()
}
