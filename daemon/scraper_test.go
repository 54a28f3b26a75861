package daemon

import (
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A scraper scrapes like a server. It fails the test if a series falls, disappears,
// changes its created timestamp, or first appears with a value other than 0 without
// being restored. To a server, successive daemons are the same target.
type scraper struct {
	testing.TB
	mu      sync.Mutex
	scraped bool              // at least once
	highest map[string]uint64 // by series
	created map[string]int64
	loaded  map[string]struct{} // series that a daemon has restored
	journal map[string]int64    // size of the newest journal at the last scrape, by name

	ignoreBuckets bool
}

func newScraper(t testing.TB) *scraper {
	return &scraper{TB: t, highest: make(map[string]uint64), created: make(map[string]int64),
		loaded: make(map[string]struct{}), journal: make(map[string]int64)}
}

// restored records the series that a daemon has restored, which may appear with their
// values.
func (s *scraper) restored(d *Daemon) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var snap ledger.Snapshot
	d.state.SnapshotInto(&snap)
	for _, f := range snap.Families {
		for i := range f.Samples {
			for series := range valuesOf(f.Family, &f.Samples[i], nil) {
				s.loaded[series] = struct{}{}
			}
		}
	}
}

// clone returns a copy of the scraper. The lock must be held.
func (s *scraper) clone() *scraper {
	return &scraper{
		TB: s.TB, scraped: s.scraped,
		highest: maps.Clone(s.highest), created: maps.Clone(s.created),
		loaded: maps.Clone(s.loaded), journal: maps.Clone(s.journal),
	}
}

// scrape returns false if the daemon exposes nothing yet.
func (s *scraper) scrape(d *Daemon) (ledger.Snapshot, bool) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scrapeLocked(d)
}

func (s *scraper) scrapeLocked(d *Daemon) (ledger.Snapshot, bool) {
	s.Helper()
	snap, ok := snapshot(d)
	if !ok {
		return snap, false
	}
	seen := make(map[string]struct{}, len(s.highest))
	for _, f := range snap.Families {
		if f.Family.Type.IsGauge() {
			continue
		}
		for i := range f.Samples {
			for series, v := range valuesOf(f.Family, &f.Samples[i], nil) {
				if s.ignoreBuckets && strings.Contains(series, "_bucket{") {
					continue
				}
				seen[series] = struct{}{}
				s.check(series, v, f.Samples[i].Created)
			}
		}
	}
	for series := range s.highest {
		if _, ok := seen[series]; !ok {
			s.Errorf("%s has disappeared", series)
		}
	}
	s.scraped = true
	if info, err := os.Stat(newestJournal(s, d.stateDir)); err == nil {
		s.journal[info.Name()] = info.Size()
	}
	return snap, true
}

func (s *scraper) check(series string, v uint64, created int64) {
	s.Helper()
	before, known := s.highest[series]
	_, loaded := s.loaded[series]
	switch {
	case !known && s.scraped && !loaded && v != 0:
		s.Errorf("%s appears with %d, want 0", series, v)
	case known && v < before:
		s.Errorf("%s falls from %d to %d", series, before, v)
	case known && created != s.created[series]:
		s.Errorf("%s: the created timestamp changes from %d to %d", series, s.created[series], created)
	}
	s.highest[series], s.created[series] = v, created
}

// keepScraping scrapes the current daemon until stop is called.
func (h *harness) keepScraping() (stop func()) {
	end := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		every := time.NewTicker(5 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-end:
				return
			case <-every.C:
				h.scrapeCurrent()
			}
		}
	})
	return sync.OnceFunc(func() {
		close(end)
		running.Wait()
	})
}

func (h *harness) scrapeCurrent() {
	h.scraper.mu.Lock()
	defer h.scraper.mu.Unlock()
	if d := h.current.Load(); d != nil {
		h.scraper.scrapeLocked(d)
	}
}

func TestScraper(t *testing.T) {
	for name, tt := range map[string]struct {
		series     string
		v          uint64
		created    int64
		wantErrors int
	}{
		"grows":                {"x_total", 6, 1, 0},
		"stays":                {"x_total", 5, 1, 0},
		"falls":                {"x_total", 4, 1, 1},
		"is created again":     {"x_total", 5, 2, 1},
		"appears at 0":         {"y_total", 0, 1, 0},
		"appears with a value": {"y_total", 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			errors := &errorCounter{TB: t}
			s := newScraper(errors)
			s.check("x_total", 5, 1)
			s.scraped = true
			s.check(tt.series, tt.v, tt.created)
			checkEqual(t, "errors", errors.n, tt.wantErrors)
		})
	}
}

// An errorCounter counts errors instead of failing.
type errorCounter struct {
	testing.TB
	n int
}

func (c *errorCounter) Helper()               {}
func (c *errorCounter) Errorf(string, ...any) { c.n++ }
