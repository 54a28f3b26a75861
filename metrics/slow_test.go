package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

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
