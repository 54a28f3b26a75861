package counters

import (
	"math"
	"testing"
)

// A new series is 0 until it is released, a gauge never. After a restart every series
// has its value.
func TestRelease(t *testing.T) {
	w := newWorld()
	s := w.set
	check := func(want ...uint64) {
		t.Helper()
		for i, tool := range []string{"a", "b", "c"}[:len(want)] {
			if got := sampleOf(t, s, "cost_total", tool).Value; got != want[i] {
				t.Errorf("%s: got %d, want %d", tool, got, want[i])
			}
		}
	}
	s.Add(w.cost, 1, birth, "", "a")
	s.Start()
	check(1)
	if s.Pending() != 0 || !s.Started() {
		t.Errorf("after the start, series up to %d are pending", s.Pending())
	}
	s.Add(w.last, 5, birth, "", "p")
	if got := sampleOf(t, s, "last_seconds", "p").Value; got != 5 || s.Pending() != 0 {
		t.Errorf("gauge: got %d, pending %d", got, s.Pending())
	}
	s.Add(w.cost, 4, birth, "", "b")
	first := s.Pending()
	s.Add(w.cost, 0, birth, "", "c")
	check(1, 0, 0)
	s.Start() // changes nothing
	check(1, 0, 0)
	s.Release(first)
	check(1, 4, 0)
	s.Release(0) // changes nothing
	s.Add(w.cost, 5, birth, "", "c")
	check(1, 4, 0)
	if h := historyText(s); s.Pending() != 4 || h == historyText(reopened(t, w).set) {
		t.Errorf("got pending series up to %d, want 4, and %s", s.Pending(), h)
	}
	s = reopened(t, w).set
	check(1, 4, 5)
	if s.Pending() != 0 || !s.Started() {
		t.Errorf("after a restart, series up to %d are pending", s.Pending())
	}
	s.Release(math.MaxInt) // does not release later series
	s.Add(w.cost, 1, birth, "", "d")
	if got := sampleOf(t, s, "cost_total", "d").Value; got != 0 || s.Pending() != 5 {
		t.Errorf("new series: got %d, want 0", got)
	}
}

// The operations of an earlier process restore series with their values, since they may
// have been exposed for long.
func TestReleaseRestored(t *testing.T) {
	w := newWorld()
	w.set.Start()
	restored := reopened(t, w)
	w.set.Record(true)
	w.set.Add(w.runs, 7, birth, "")
	if err := restored.set.Apply(w.set.Operations()); err != nil {
		t.Fatal(err)
	}
	if got := sampleOf(t, restored.set, "runs_total").Value; got != 7 || restored.set.Pending() != 0 {
		t.Errorf("got %d, want 7; pending %d", got, restored.set.Pending())
	}
}

// The created timestamp is the time of the earliest event until the series may be
// exposed, and does not change from then on.
func TestCreated(t *testing.T) {
	for name, expose := range map[string]func(*Set){"exposed": (*Set).Expose, "started": (*Set).Start} {
		for _, recording := range []bool{false, true} {
			w := newWorld()
			w.set.Record(recording)
			add := func(after int64) {
				w.set.Add(w.runs, 1, birth+after, "")
				w.set.ApplyRecorded()
			}
			add(5)
			add(9)
			add(3)
			w = reopened(t, w)
			w.set.Record(recording)
			add(2)
			expose(w.set)
			w.set.ApplyRecorded()
			w = reopened(t, w)
			add(1)
			w.set.Add(w.cost, 1, birth, "", "a") // another series
			w.set.Add(w.cost, 1, birth-1, "", "a")
			a, b := sampleOf(t, w.set, "runs_total").Created-birth, sampleOf(t, w.set, "cost_total", "a").Created-birth
			if a != 2 || b != -1 {
				t.Errorf("%s: got created after %d and %d ms, want 2 and -1", name, a, b)
			}
		}
	}
}
