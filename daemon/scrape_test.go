package daemon

import (
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
)

// snapshot returns what a source shows, in memory of its own.
func snapshot(of metrics.Provider) (s ledger.Snapshot, ok bool) {
	ok = of.SnapshotInto(&s)
	return s, ok
}

// A scraper looks at the counters again and again, as a server does, and
// complains of everything that no server may see: a series that falls, goes
// away, comes with a value, or changes its created timestamp. It may look at
// one daemon after another, since to a server they are the same.
type scraper struct {
	testing.TB
	mu      sync.Mutex
	looked  bool              // at least once
	highest map[string]uint64 // by series
	created map[string]int64
	journal map[string]int64 // by its name, how long the newest journal was then
	buckets bool             // may change
}

func newScraper(t testing.TB) *scraper {
	return &scraper{TB: t, highest: make(map[string]uint64), created: make(map[string]int64), journal: make(map[string]int64)}
}

// look takes one scrape; it returns false if the daemon shows nothing yet.
func (s *scraper) look(d *Daemon) (ledger.Snapshot, bool) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locked(d)
}

func (s *scraper) locked(d *Daemon) (ledger.Snapshot, bool) {
	s.Helper()
	snap, ok := snapshot(d)
	if !ok {
		return snap, false
	}
	seen := make(map[string]struct{}, len(s.highest))
	for _, f := range snap.Families {
		if f.Family.Type == ledger.Gauge {
			continue
		}
		for i := range f.Samples {
			for series, v := range valuesOf(f.Family, &f.Samples[i], nil) {
				if s.buckets && strings.Contains(series, "_bucket{") {
					continue
				}
				seen[series] = struct{}{}
				s.see(series, v, f.Samples[i].Created)
			}
		}
	}
	for series := range s.highest {
		if _, ok := seen[series]; !ok {
			s.Errorf("%s is not shown any more", series)
		}
	}
	s.looked = true
	if info, err := os.Stat(newestJournal(s, d.stateDir)); err == nil {
		s.journal[info.Name()] = info.Size()
	}
	return snap, true
}

func (s *scraper) see(series string, v uint64, created int64) {
	s.Helper()
	before, known := s.highest[series]
	switch {
	case !known && s.looked && v != 0:
		s.Errorf("%s comes with %d and not with 0", series, v)
	case known && v < before:
		s.Errorf("%s falls from %d to %d", series, before, v)
	case known && created != s.created[series]:
		s.Errorf("%s was created at %d and not any more at %d", series, created, s.created[series])
	}
	s.highest[series], s.created[series] = v, created
}

// lookAt takes one scrape of the daemon that is current when it is taken.
func (s *scraper) lookAt(current func() *Daemon) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := current(); d != nil {
		s.locked(d)
	}
}

// after returns a scraper that has seen the same. The lock must be held.
func (s *scraper) after() *scraper {
	return &scraper{TB: s.TB, looked: s.looked, highest: maps.Clone(s.highest), created: maps.Clone(s.created), journal: maps.Clone(s.journal)}
}

// keepScraping looks at whatever daemon there is until stop is called.
func (w *world) keepScraping() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(2 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-end:
				return
			case <-every.C:
				w.scrapes.lookAt(w.shown.Load)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}

// A scraper that never complained would make every test pass.
func TestScraperComplains(t *testing.T) {
	sample := func(v uint64, created int64) func(*scraper) {
		return func(s *scraper) { s.see("x_total", v, created) }
	}
	for _, tt := range []struct {
		name string
		then func(*scraper)
		bad  bool
	}{
		{"grows", sample(6, 1), false},
		{"stays", sample(5, 1), false},
		{"falls", sample(4, 1), true},
		{"created anew", sample(5, 2), true},
		{"comes at zero", func(s *scraper) { s.see("y_total", 0, 1) }, false},
		{"comes with a value", func(s *scraper) { s.see("y_total", 1, 1) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := &complaints{TB: t}
			s := newScraper(said)
			sample(5, 1)(s)
			s.looked = true
			tt.then(s)
			if (said.n > 0) != tt.bad {
				t.Errorf("%d complaints", said.n)
			}
		})
	}
}

// complaints counts errors in place of failing.
type complaints struct {
	testing.TB
	n int
}

func (c *complaints) Helper()               {}
func (c *complaints) Errorf(string, ...any) { c.n++ }
