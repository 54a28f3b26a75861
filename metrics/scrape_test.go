package metrics

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A compressed response is the same as a plain one, also when repeated.
func TestGzip(t *testing.T) {
	s := newSite()
	for range 3 {
		plain := s.request("GET", "/metrics")
		want := body(t, plain)
		zipped := s.request("GET", "/metrics", "Accept-Encoding", "gzip")
		if got := zipped.Header.Values("Vary"); !slices.Equal(got, []string{"Accept", "Accept-Encoding"}) {
			t.Errorf("got Vary %q", got)
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		// The handler's own families differ between scrapes.
		own := strings.Index(want, "# HELP promhttp_")
		if len(want) < 1000 || own < 0 || string(got[:own]) != want[:own] {
			t.Errorf("the compressed exposition, compared with the plain one of %d bytes:\n%s", len(want), difftest.Diff(want, string(got)))
		}
	}
}

// Scrapes that their clients abandon log nothing: a client could fill the disk, since
// there is an error for each family.
func TestAbandonedScrapes(t *testing.T) {
	s := newSite()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", http.NoBody))
	}
	_, done, err := s.shown.Gather() // once no scrape uses the families
	if done(); err != nil {
		t.Fatal(err)
	}
	if got := s.log.String(); got != "" {
		t.Errorf("got log %.1000q", got)
	}
}

// Errors of scrapes are logged at most once a minute.
func TestScrapeErrorsAreRare(t *testing.T) {
	var log bytes.Buffer
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	l := &errorLog{Logger: slog.New(slog.NewTextHandler(&log, nil)), now: func() time.Time { return now }}
	for range 3 {
		for range 1000 {
			l.Println("error encoding and sending metric family:", http.ErrHandlerTimeout)
			l.Println("error encoding and sending metric family:", fmt.Errorf("write: %w", context.Canceled))
			now = now.Add(59 * time.Millisecond)
		}
		now = now.Add(time.Second)
	}
	if n := strings.Count(log.String(), "\n"); n != 3 || strings.Contains(log.String(), "canceled") {
		t.Errorf("got %d lines: %.1000s", n, &log)
	}
}

// A limit allows exactly that many concurrent requests.
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

// While nothing can be exposed, a scrape is answered with 503: a response without the
// counters would make all of their series stale.
func TestUnavailable(t *testing.T) {
	s := newSite()
	for _, blocked := range []bool{true, false, true} {
		s.source.blocked = blocked
		for _, accept := range []string{"", "application/openmetrics-text", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=text"} {
			r := s.request("GET", "/metrics", "Accept", accept, "Accept-Encoding", "gzip")
			switch got := body(t, r); {
			case blocked && (r.StatusCode != http.StatusServiceUnavailable ||
				r.Header.Get("Retry-After") != "10" || !strings.HasPrefix(got, "Nothing can be exposed")):
				t.Errorf("%q: got %d, %v and %q", accept, r.StatusCode, r.Header, got)
			case !blocked && r.StatusCode != http.StatusOK:
				t.Errorf("%q: got %d, want 200", accept, r.StatusCode)
			}
		}
	}
}

// A stalled is a client that stops reading until it is resumed.
type stalled struct {
	http.ResponseWriter
	sending, resume chan struct{}
}

func (s stalled) Write(b []byte) (int, error) {
	select {
	case s.sending <- struct{}{}:
	case <-s.resume:
	}
	<-s.resume
	return len(b), nil
}

// A client that does not read does not block other clients.
func TestStalledClient(t *testing.T) {
	s := newSite()
	client := stalled{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var answered sync.WaitGroup
	answered.Go(func() { s.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)) })
	<-client.sending
	other := make(chan int, 1)
	answered.Go(func() { other <- s.request("GET", "/metrics").StatusCode })
	select {
	case status := <-other:
		if status != http.StatusOK {
			t.Errorf("got %d, want 200", status)
		}
	case <-time.After(20 * time.Second):
		t.Error("another client got no response")
	}
	close(client.resume)
	answered.Wait()
}
