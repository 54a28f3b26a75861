package counters

import (
	"slices"
	"testing"
)

// Increases dated before the birth that are counted after the start are late: without
// them, the increases before the birth add up to the first scrape's values.
func TestLate(t *testing.T) {
	const hour = 60 * 60 * 1000
	w := newWorld()
	w.set.Add(w.runs, 1, birth-3*hour, "")
	w.set.Start()
	w.set.Add(w.runs, 2, birth-3*hour, "")
	w.set.Add(w.runs, 4, birth-1, "")
	w.set.Add(w.runs, 8, birth, "")
	w.set.Add(w.runs, 16, birth+hour, "")
	at := func(when int64, n uint64) Increase { return Increase{when, when + fineMillis, n, 0} }
	want := []Increase{at(birth-3*hour, 2), at(birth-fineMillis, 4)}
	for _, w := range []*world{w, reopened(t, w)} {
		h := w.set.History()
		s := &h.Families[2].Series[0]
		if got := s.Late(); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := s.Increases(); len(got) != 4 || got[0] != at(birth-3*hour, 3) {
			t.Errorf("got the increases %v", got)
		}
	}
	// A series that has not grown late has no late increases.
	w.set.Add(w.cost, 1, birth, "", "a")
	h := w.set.History()
	if got := h.Families[4].Series[0].Late(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// Began and GrewAfter state the ends of the first and the last interval.
func TestBegan(t *testing.T) {
	for _, tt := range []struct {
		grew           []int64 // minutes after the birth
		advanced       bool    // intervals are coarse
		began, grewFor int64   // minutes
	}{
		{[]int64{7}, false, 5, 10},
		{[]int64{7, 62}, false, 5, 65},
		{[]int64{62, 7}, false, 5, 65},
		{[]int64{7, 62}, true, 0, 90},
	} {
		w := newWorld()
		for _, minutes := range tt.grew {
			w.set.Add(w.runs, 1, birth+minutes*60_000, "")
		}
		if tt.advanced {
			w.set.Advance(birth + 30*dayMillis)
		}
		h := w.set.History()
		s := &h.Families[2].Series[0]
		if start, ok := s.Began(); !ok || start != birth+tt.began*60_000 {
			t.Errorf("%v: began after %d ms (%v), want %d minutes", tt.grew, start-birth, ok, tt.began)
		}
		if end := birth + tt.grewFor*60_000; !s.GrewAfter(end-1) || s.GrewAfter(end) {
			t.Errorf("%v: grew after %d minutes, want not", tt.grew, tt.grewFor)
		}
	}
	w := newWorld()
	w.set.Add(w.runs, 0, birth, "")
	h := w.set.History()
	if _, ok := h.Families[2].Series[0].Began(); ok || h.Families[2].Series[0].GrewAfter(0) {
		t.Error("a series that never grew has a beginning")
	}
	for range h.Families[2].Series[0].All() {
		t.Error("a series that never grew has increases")
	}
}
