package daemon

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// lines returns what a courier takes of a counter of lines, and false if it takes
// nothing at all.
func (c *Courier) lines(s *ledger.Snapshot, kind string) (uint64, bool) {
	if !c.Fill(s) {
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
	c.Arrived()
	takes(c, &s, "summary", 0)
	takes(c, &s, "system", 0)
	c.Arrived()
	takes(c, &s, "summary", 1)
	takes(c, &s, "system", 1)

	w.restart()
	s, c = ledger.Snapshot{}, w.d.NewCourier()
	takes(c, &s, "summary", 1)
	takes(c, &s, "system", 1)
}

func TestCourierOfNothing(t *testing.T) {
	w := newWorld(t)
	d := w.opened()
	defer d.Close() //nolint:errcheck // it never ran
	if c := d.NewCourier(); c.Fill(new(ledger.Snapshot)) {
		t.Error("there is something before everything was read")
	}
}

// While nothing can be written nothing is taken for seen, since a crash would
// have it seen for the first time again.
func TestCourierWhileFrozen(t *testing.T) {
	w := newWorld(t)
	w.start()
	if err := appendTo(filepath.Join(w.dir, "p", "a.jsonl"), `{"type":"summary"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	unshown := func() bool {
		w.d.counted.mu.Lock()
		defer w.d.counted.mu.Unlock()
		return w.d.counted.state.ledger.Unshown()
	}
	w.eventually("something new", unshown)
	var s ledger.Snapshot
	c := w.d.NewCourier()
	if !c.Fill(&s) {
		t.Fatal("there is nothing to take")
	}
	w.d.counted.freeze(errors.New("full"))
	if c := w.d.NewCourier(); c.Fill(new(ledger.Snapshot)) {
		t.Error("who comes while it stands still is shown something")
	}
	if !c.Fill(&s) {
		t.Error("who was there before is shown nothing")
	}
	c.Arrived()
	if !unshown() {
		t.Error("it is taken for seen, and that is not in the journal")
	}
	w.d.counted.thaw()
}
