package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// lines returns what a courier takes of a counter of lines, and false if it takes
// nothing at all.
func (c *Courier) lines(s *ledger.Snapshot, kind string) (uint64, bool) {
	if !c.Fill(s, "server") {
		return 0, false
	}
	for _, f := range s.Families {
		for i := range f.Samples {
			if f.Family.Name == "ccwatchd_lines_total" && f.Samples[i].Labels[0] == kind {
				return f.Samples[i].Value, true
			}
		}
	}
	return 0, true
}

// What a courier has taken counts as seen once it has arrived, and not before; also
// if the daemon ends meanwhile, and however often it was tried.
func TestCourier(t *testing.T) {
	w := newWorld(t)
	w.start()
	var s ledger.Snapshot
	takes := func(c *Courier, s *ledger.Snapshot, kind string, want uint64) {
		t.Helper()
		if got, ok := c.lines(s, kind); !ok || got != want {
			t.Errorf("%s: it takes %d, %v; want %d", kind, got, ok, want)
		}
	}
	file := filepath.Join(w.dir, "p", "a.jsonl")
	counted := func(kind string) {
		t.Helper()
		if err := appendTo(file, `{"type":"`+kind+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		w.eventually(kind, func() bool {
			w.d.counted.mu.Lock()
			defer w.d.counted.mu.Unlock()
			var now ledger.Snapshot
			w.d.counted.state.ledger.Fill(&now, 0)
			for _, f := range now.Families {
				for i := range f.Samples {
					if f.Family.Name == "ccwatchd_lines_total" && f.Samples[i].Labels[0] == kind {
						return true
					}
				}
			}
			return false
		})
	}
	counted("summary")
	c := w.d.NewCourier()
	takes(c, &s, "summary", 0)
	takes(c, &s, "summary", 0)

	w.restart()
	s, c = ledger.Snapshot{}, w.d.NewCourier()
	takes(c, &s, "summary", 0)
	counted("system") // while it is under way
	takes(c, &s, "summary", 0)
	c.Arrived()
	takes(c, &s, "summary", 1)
	takes(c, &s, "system", 1)
	counted("progress")
	takes(c, &s, "progress", 0)
	takes(c, &s, "progress", 0)

	w.restart()
	s, c = ledger.Snapshot{}, w.d.NewCourier()
	takes(c, &s, "summary", 1)
	takes(c, &s, "system", 1)
	takes(c, &s, "progress", 0)
}

func TestCourierOfNothing(t *testing.T) {
	w := newWorld(t)
	d := w.opened()
	defer d.Close() //nolint:errcheck // it never ran
	if c := d.NewCourier(); c.Fill(new(ledger.Snapshot), "server") {
		t.Error("there is something before everything was read")
	}
}

// A server that cannot be reached is waited for by those who scrape, but not for ever.
func TestCourierBesideScrapes(t *testing.T) {
	w := newWorld(t)
	w.start()
	s := w.d.counted
	now := time.Now()
	look := func(viewer string) uint64 {
		now = now.Add(time.Minute)
		return s.audience.come(viewer, now)
	}
	s.audience.overdue(now)
	for range 2 {
		look("server")
		s.audience.saw("server", 1)
	}
	for range 3 {
		look("scrape")
		s.audience.saw("scrape", 2)
		look("server") // and it does not arrive
	}
	if seen := look("scrape"); seen != 1 {
		t.Errorf("everybody has seen %d, want 1", seen)
	}
	s.audience.overdue(now)
	now = now.Add(longestZero)
	if seen := s.audience.overdue(now); seen != 2 {
		t.Errorf("up to %d nobody waits any more, want 2", seen)
	}
}
