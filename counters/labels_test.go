package counters

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// A label has the values that came first, and then Other. Known values stay.
func TestBounded(t *testing.T) {
	w := newWorld()
	w.set.Configure(Options{Limits: map[string]int{"tool": 2}})
	for i, tt := range []struct {
		value, want string
		overflows   uint64
	}{
		{"a", "a", 0}, {"a", "a", 0}, {"", "", 0}, {Other, Other, 0}, {"b", "b", 0}, {"c", Other, 1}, {"c", Other, 2},
		{"", "", 2}, {"b", "b", 2}, {Other, Other, 2}, {"a", "a", 2}, {"d", Other, 3},
	} {
		if got := w.set.Peek(w.tool, "", tt.value); got != tt.want {
			t.Errorf("%d: peeking at %q: got %q, want %q", i, tt.value, got, tt.want)
		}
		if got := w.set.Bounded(w.tool, "", tt.value, birth); got != tt.want || values(w.set, w.set.overflow)["tool "] != tt.overflows {
			t.Errorf("%d: %q: got %q and %v, want %q and %d overflows", i, tt.value, got, values(w.set, w.set.overflow), tt.want, tt.overflows)
		}
		if i == 6 {
			w = reopened(t, w)
		}
	}
	if got := w.set.Bounded(w.project, "", "c", birth); got != "c" {
		t.Errorf("another label: got %q", got)
	}
	w.set.Configure(Options{Limits: map[string]int{"tool": 3}})
	if a, b := w.set.Bounded(w.tool, "", "c", birth), w.set.Bounded(w.tool, "", "d", birth); a != "c" || b != Other {
		t.Errorf("with a higher limit: got %q and %q", a, b)
	}
	w.set.Configure(Options{})
	if got := w.set.Bounded(w.tool, "", "d", birth); got != "d" {
		t.Errorf("with the default limit: got %q", got)
	}
	w.set.Configure(Options{Limits: map[string]int{"tool": 0}})
	if a, b := w.set.Bounded(w.tool, "", "a", birth), w.set.Bounded(w.tool, "", "z", birth); a != "a" || b != Other {
		t.Errorf("with limit 0: got %q and %q", a, b)
	}
	w.set.CountOverflow(birth)
	if got := values(w.set, w.set.overflow)["combined "]; got != 1 {
		t.Errorf("got %d combined overflows, want 1", got)
	}
}

// Each source has a limit of exposed series. Excess series are exposed in series whose
// limited labels are Other; the sum stays, overflows are counted, and other sources
// keep their labels. Five times as many series are kept apart.
func TestTooManySeries(t *testing.T) {
	const limit, combinations = 30, 200
	for _, recording := range []bool{false, true} {
		w := newWorld()
		w.set.Configure(Options{MaxSeries: limit})
		w.set.Start()
		w.set.Record(recording)
		add := func(source SourceLabels, i int) {
			w.set.Add(w.calls, 1, birth, source, fmt.Sprint("t", i%10), "kind", fmt.Sprint("p", i/10))
		}
		for i := range combinations {
			if i == combinations/2 {
				w.set.ApplyRecorded()
				w = reopened(t, w)
				w.set.Record(recording)
			}
			add("hostile", i)
		}
		add("hostile", 0) // a series within the limit still grows
		add("harmless", 99)
		w.set.Add(w.calls, 1, birth, "hostile", "", "kind", "p") // an empty value stays empty
		w.set.ApplyRecorded()
		w.set.Release(w.set.Pending())
		for labels, want := range map[string]uint64{
			"t0 kind p0 hostile": 2, "t9 kind p2 hostile": 1, "other kind other hostile": combinations - limit,
			" kind other hostile": 1, "t9 kind p9 harmless": 1,
		} {
			if got := exposed(w.set, w.calls)[labels]; got != want {
				t.Errorf("%s: got %d, want %d", labels, got, want)
			}
		}
		if got := exposed(w.set, w.calls); len(got) != limit+3 {
			t.Errorf("got %d series: %v", len(got), slices.Sorted(maps.Keys(got)))
		}
		kept := values(w.set, w.calls)
		if kept["t9 kind p9 hostile"] != 1 || len(kept) != keptPerExposed*limit+2 {
			t.Errorf("%d series are kept: %v", len(kept), slices.Sorted(maps.Keys(kept)))
		}
		if got := values(w.set, w.set.overflow)["combined "]; got != combinations-limit+1 {
			t.Errorf("got %d combined overflows, want %d", got, combinations-limit+1)
		}
		w.set.Record(false)
		w.set.Configure(Options{}) // the default limit applies to new series
		add("hostile", 99)
		add("hostile", combinations)
		w.set.Release(w.set.Pending())
		if got := exposed(w.set, w.calls); got[fmt.Sprintf("t0 kind p%d hostile", combinations/10)] != 1 || got["t9 kind p9 hostile"] != 0 {
			t.Errorf("with a higher limit: got %v", got)
		}
	}
}

// A family without the labels of sources ignores them.
func TestUnsourced(t *testing.T) {
	w := newWorld()
	w.set.Add(w.runs, 1, birth, "a")
	w.set.Add(w.runs, 1, birth, "b")
	if got := values(w.set, w.runs); len(got) != 1 || got[""] != 2 {
		t.Errorf("got %v", got)
	}
}

func TestSourceLabels(t *testing.T) {
	for _, labels := range []map[string]string{{}, {"a": "b"}, {"a": "", "b": "x=y, z"}, {"user": "ä", "team": "1"}} {
		s := NewSourceLabels(labels)
		if got := s.Labels(); !maps.Equal(got, labels) {
			t.Errorf("got %v, want %v", got, labels)
		}
		if (s == "") != (len(labels) == 0) {
			t.Errorf("%v are encoded as %q", labels, s)
		}
	}
}
