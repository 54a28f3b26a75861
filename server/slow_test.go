package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// The server disconnects slow clients, and serves fast clients at the same time.
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
				if err := conn.SetReadDeadline(time.Now().Add(polltest.Timeout)); err != nil {
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

// The server stops writing to a client that does not read, and serves other clients at
// the same time.
func TestClientThatDoesNotRead(t *testing.T) {
	gaveUp := make(chan struct{})
	address := serveFor(t, serverLimits{header: polltest.Timeout, exchange: 100 * time.Millisecond, idle: polltest.Timeout}, func(w http.ResponseWriter, r *http.Request) {
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
	s := &Server{Config: config(nil), Logger: slog.New(slog.DiscardHandler), OnListen: func(net.Addr) {}}
	l.progress = cmp.Or(l.progress, l.exchange)
	server := s.server(handler, l)
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

// A limit allows exactly its number of concurrent requests.
func TestLimit(t *testing.T) {
	for n, slots := range map[int]int{0: 50, 1: 1, 3: 3} {
		arrived, leave := make(chan struct{}), make(chan struct{})
		h := limit(n, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-leave
		}))
		get := func() *http.Response {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
			return w.Result()
		}
		answered := make(chan *http.Response, slots+1)
		for range slots {
			go func() { answered <- get() }()
			<-arrived
		}
		if n > 0 {
			r := get()
			if got := body(t, r); r.StatusCode != http.StatusServiceUnavailable ||
				r.Header.Get("Retry-After") != "1" || got != fmt.Sprintf("More than %d concurrent requests, try again later.\n", n) {
				t.Errorf("limit %d, one too many: got %d, %v and %q", n, r.StatusCode, r.Header, got)
			}
			leave <- struct{}{}
			<-answered
			go func() { answered <- get() }() // the slot is free again
			<-arrived
		}
		close(leave)
		for range slots {
			<-answered
		}
	}
}

// A request over the limit waits for a slot, and is rejected if there is none in time.
func TestLimitWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := limitWaiting(1, scrapeWait, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			d, _ := time.ParseDuration(r.URL.Query().Get("for"))
			<-time.After(d)
		}))
		get := func(takes string) (status int, after time.Duration) {
			start, w := time.Now(), httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics?for="+takes, http.NoBody))
			return w.Code, time.Since(start)
		}
		stalled := defaultLimits().progress.String() // for a client that does not read
		for takes, want := range map[string]int{stalled: http.StatusOK, "1h": http.StatusServiceUnavailable} {
			go get(takes)
			synctest.Wait()
			if got, after := get("0s"); got != want || after > scrapeWait {
				t.Errorf("behind a request of %s: status %d after %v", takes, got, after)
			}
			<-time.After(time.Hour)
		}
	})
}

// A client that reads nothing for the time of progress is disconnected long before the
// end of the exchange, and a client that reads slowly gets everything.
func TestProgress(t *testing.T) {
	gaveUp := make(chan error, 1)
	const size = 32 << 20
	address := serveFor(t, serverLimits{header: time.Hour, exchange: time.Hour, progress: 500 * time.Millisecond, idle: time.Hour},
		func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, size))
			gaveUp <- err
		})
	dial(t, address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if err := <-gaveUp; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a client that does not read: got error %v", err)
	}
	// On a busy machine a client may read nothing by accident: it tries again.
	polltest.Eventually(t, "a client that reads gets everything", func() bool {
		conn := dial(t, address, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		received, err := io.Copy(io.Discard, conn)
		return errors.Join(err, <-gaveUp) == nil && received >= size
	})
}

// A slowPage answers requests for sessions once they may leave.
type slowPage struct {
	testPage
	entered, leave chan struct{}
}

func (p slowPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") != "" {
		p.entered <- struct{}{}
		<-p.leave
	}
	p.testPage.ServeHTTP(w, r)
}

// Slow requests for sessions leave the slots of the page, the API and the metrics.
func TestSlotsAreApart(t *testing.T) {
	pages := slowPage{entered: make(chan struct{}), leave: make(chan struct{})}
	s := newSiteOf(pages, 1)
	get := func(path string) int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		return w.Code
	}
	first := make(chan int)
	go func() { first <- get("/session/a") }()
	<-pages.entered
	for path, want := range map[string]int{"/": 200, "/api/v1/usage": 200, "/metrics": 200, "/session/b": 503} {
		if got := get(path); got != want {
			t.Errorf("%s: got status %d, want %d", path, got, want)
		}
	}
	close(pages.leave)
	if got := <-first; got != http.StatusOK {
		t.Errorf("the session: got status %d", got)
	}
}
