package metrics

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A page is the same however it is sent, also to who asks again and again.
func TestZipped(t *testing.T) {
	s := newSite()
	s.request("GET", "/metrics")
	for range 3 {
		plain := s.request("GET", "/metrics")
		want := body(t, plain)
		zipped := s.request("GET", "/metrics", "Accept-Encoding", "gzip")
		if got := zipped.Header.Values("Vary"); !slices.Equal(got, []string{"Accept", "Accept-Encoding"}) {
			t.Errorf("Vary is %q", got)
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		// What the handler counts of itself has gone on.
		own := strings.Index(want, "# HELP promhttp_")
		if len(want) < 1000 || own < 0 || string(got[:own]) != want[:own] {
			t.Errorf("zipped it is\n%s\nand plain\n%s", got, want)
		}
	}
}

// What people ask for to look at it is there too.
func TestFormatsForPeople(t *testing.T) {
	for _, encoding := range []string{"text", "compact-text"} {
		r := newSite().request("GET", "/metrics", "Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding="+encoding)
		if kind := r.Header.Get("Content-Type"); !strings.Contains(kind, "encoding="+encoding) {
			t.Errorf("got %q, want encoding %s", kind, encoding)
		}
		if got := body(t, r); !strings.Contains(got, "ccwatchd_read_bytes_total") {
			t.Errorf("%s: got %q", encoding, got)
		}
	}
}

// So many scrapes are answered at a time, and no more.
func TestTooManyScrapes(t *testing.T) {
	for n, room := range map[int]int{0: 50, 1: 1, 3: 3} {
		arrived, leave := make(chan struct{}), make(chan struct{})
		h := limit(n, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-leave
		}))
		ask := func() *http.Response {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
			return w.Result()
		}
		answered := make(chan *http.Response, room+1)
		for range room {
			go func() { answered <- ask() }()
			<-arrived
		}
		if n > 0 {
			r := ask()
			if got := body(t, r); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" ||
				got != fmt.Sprintf("More than %d scrapes at a time, try again later.\n", n) {
				t.Errorf("limit %d, one too many: got %d, %v and %q", n, r.StatusCode, r.Header, got)
			}
			leave <- struct{}{}
			<-answered
			go func() { answered <- ask() }() // there is room again
			<-arrived
		}
		close(leave)
		for range room {
			<-answered
		}
	}
}

// While nothing can be exposed, a scrape is answered with 503. A page
// without the counters would end all of their series.
func TestNothingMayBeShown(t *testing.T) {
	s := newSite()
	for _, notYet := range []bool{true, false, true} {
		s.source.notYet = notYet
		for _, accept := range []string{"", "application/openmetrics-text", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=text"} {
			r := s.request("GET", "/metrics", "Accept", accept, "Accept-Encoding", "gzip")
			switch got := body(t, r); {
			case notYet && (r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "10" || !strings.HasPrefix(got, "Nothing can be exposed")):
				t.Errorf("%q: got %d, %v and %q", accept, r.StatusCode, r.Header, got)
			case !notYet && r.StatusCode != http.StatusOK:
				t.Errorf("%q: got %d once there is something", accept, r.StatusCode)
			}
		}
	}
}

// A stalled is a client that stops reading.
type stalled struct {
	http.ResponseWriter
	sending, goOn chan struct{}
}

func (s stalled) Write(b []byte) (int, error) {
	select {
	case s.sending <- struct{}{}:
	case <-s.goOn:
	}
	<-s.goOn
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
		t.Error("another client is not answered")
	}
	close(client.goOn)
	answered.Wait()
}
