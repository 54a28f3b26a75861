package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

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

// Clients that do not read count as concurrent scrapes until they are disconnected.
// Further scrapes wait for that; other pages are served.
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
	stall := func() {
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
	}
	stall()
	stall()
	for _, path := range []string{"/", "/-/healthy", "/-/ready"} {
		if a := status(path); a.status != http.StatusOK {
			t.Errorf("%s: status %d", path, a.status)
		}
	}
	// On a busy machine the clients may be disconnected too late: the scrape is repeated.
	polltest.Eventually(t, "another scrape is complete", func() bool {
		began, a := time.Now(), status("/metrics")
		if waited := time.Since(began); a.status != http.StatusOK && waited < time.Second {
			t.Fatalf("another scrape: status %d after %v", a.status, waited)
		}
		return a.status == http.StatusOK && len(a.body) >= 1<<20
	})
	d.stop()
}
