package metrics

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ccwatchd/ccwatchd/counters"
)

// Clients that do not read share a response, or hold a compressed one: 40 of them need
// less memory than two plain responses.
func TestMemoryOfStalledClients(t *testing.T) {
	s := newScraped()
	calls := &s.source.snapshot.Families[0]
	for i := range 20_000 {
		calls.Samples = append(calls.Samples, counters.Sample{
			Labels: []string{fmt.Sprint(strings.Repeat("tool", 20), i), "", "shop", "main"}, Value: 1, Created: born,
		})
	}
	size := uint64(s.scrape().Body.Len())
	clients := make([]stalled, 40)
	var answered sync.WaitGroup
	before := heapInUse()
	for i := range clients {
		clients[i] = stalled{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		answered.Go(func() { s.ServeHTTP(clients[i], httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)) })
		<-clients[i].sending // one after the other: each has a response of its own
	}
	if size < 2<<20 || heapInUse() > before+3*size {
		t.Errorf("40 clients that do not read %d bytes need %d bytes", size, heapInUse()-before)
	}
	for _, c := range clients {
		close(c.resume)
	}
	answered.Wait()
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Requests that wait at the same time share one exposition, whatever encoding they
// want.
func TestWaitingScrapesShareAnExposition(t *testing.T) {
	s := newScraped()
	handler, ok := s.Handler.(*scrapeHandler)
	if !ok {
		t.Fatal("not a scrapeHandler")
	}
	calls := s.source.calls.Load()
	handler.shared.making.Lock() // delays the exposition
	var answered sync.WaitGroup
	for i := range 40 {
		answered.Go(func() {
			if r := s.scrape("Accept-Encoding", []string{"gzip", ""}[i%2]); r.Code != http.StatusOK || r.Body.Len() < 500 {
				t.Errorf("got status %d and %d bytes", r.Code, r.Body.Len())
			}
		})
	}
	handler.shared.awaitRequests(40)
	handler.shared.making.Unlock()
	answered.Wait()
	if got := s.source.calls.Load() - calls; got != 1 {
		t.Errorf("40 requests made %d expositions", got)
	}
}

// awaitRequests waits until a number of requests wait for one response.
func (s *sharedResponses) awaitRequests(n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		waiting = 0
		s.mu.Lock()
		for _, shared := range s.waiting {
			waiting += shared.requests
		}
		s.mu.Unlock()
	}
}

// Shared responses are the responses of the client library, in every format, encoding
// and selection, except for the bounds of the text format.
func TestResponsesOfClientLibrary(t *testing.T) {
	s := newScraped()
	direct := promhttp.HandlerForTransactional(s.shown, promhttp.HandlerOpts{EnableOpenMetrics: true, Registry: s.shown.Registry})
	for _, accept := range []string{
		"", "*/*", "text/plain", "text/plain;version=1.0.0;escaping=allow-utf-8", "application/openmetrics-text;version=0.0.1",
		"application/openmetrics-text;version=1.0.0;escaping=dots", "text/html, application/openmetrics-text;q=0.1", "canary",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=compact-text",
	} {
		for _, encoding := range []string{"", "gzip", "*", "identity;q=0, gzip;q=0.1", "gzip;q=0.5, identity", "identity", "zstd, br"} {
			for _, query := range []string{"", "?name[]=claude_tool_calls_total&name[]=unknown"} {
				r := httptest.NewRequest(http.MethodGet, "/metrics"+query, http.NoBody)
				r.Header.Set("Accept", accept)
				r.Header.Set("Accept-Encoding", encoding)
				want, got := httptest.NewRecorder(), httptest.NewRecorder()
				direct.ServeHTTP(want, r)
				s.ServeHTTP(got, r)
				if !reflect.DeepEqual(got.Header(), want.Header()) || got.Code != want.Code {
					t.Errorf("%q, %q: got status %d and headers %v, want %d and %v", accept, encoding, got.Code, got.Header(), want.Code, want.Header())
				}
				if g, w := plainBody(t, got), plainBody(t, want); !bytes.Equal(g, w) || len(w) == 0 {
					t.Errorf("%q, %q: got\n%s\nwant\n%s", accept, encoding, g, w)
				}
			}
		}
	}
}

// plainBody returns the body without compression, with the same bounds.
func plainBody(t *testing.T, r *httptest.ResponseRecorder) []byte {
	t.Helper()
	body := io.Reader(r.Body)
	if r.Header().Get("Content-Encoding") == "gzip" {
		zipped, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		body = zipped
	}
	plain, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		return plain
	}
	var same bytes.Buffer
	if err := writeSameBounds(&same, plain); err != nil {
		t.Fatal(err)
	}
	return same.Bytes()
}
