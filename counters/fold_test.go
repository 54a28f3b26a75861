package counters

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The values with the most usage before the start are exposed by name, of values with
// the same usage the values used last, then the first later values. A raised limit
// applies to values that come after the change.
func TestExposedNames(t *testing.T) {
	w := newWorld()
	s := w.set
	use := func(name string, after int64) {
		name = s.Bounded(w.project, "", name, birth+after)
		s.Add(w.calls, 1, birth+after, "", "t", "k", name)
		s.Add(w.last, uint64(birth+after), birth+after, "", name)
	}
	check := func(want map[string]uint64, names ...string) {
		t.Helper()
		s.Release(s.Pending())
		got := make(map[string]uint64)
		for labels, n := range exposed(s, w.calls) {
			got[labels[len("t k "):len(labels)-1]] = n
		}
		if !maps.Equal(got, want) {
			t.Errorf("exposed: got %v, want %v", got, want)
		}
		for _, name := range names {
			if values(s, w.calls)["t k "+name+" "] == 0 {
				t.Errorf("%s is not kept", name)
			}
		}
		last := uint64(0)
		for _, ser := range s.families[w.last].inOrder {
			last = max(last, ser.Value)
		}
		if most := slices.Max(slices.Collect(maps.Values(exposed(s, w.last)))); most != last {
			t.Errorf("the last use is exposed as %d, want %d", most, last)
		}
	}
	use("old", 1)
	use("new", 3)
	use("middle", 2)
	check(map[string]uint64{"old": 1, "new": 1, "middle": 1}) // nothing is exposed yet
	s.Start()
	check(map[string]uint64{"new": 1, "middle": 1, "other": 1}, "old", "new", "middle")
	if got := values(s, s.overflow)["project "]; got != 1 {
		t.Errorf("got %d overflows, want 1", got)
	}
	use("old", 9)
	use("another", 9) // the label keeps three values
	w = reopened(t, w)
	s = w.set
	use("old", 9)
	check(map[string]uint64{"new": 1, "middle": 1, "other": 4}, "old", Other)
	o := options()
	o.Limits = map[string]int{"project": 5}
	s.Configure(o)
	use("old", 10)
	use("newest", 10)
	check(map[string]uint64{"new": 1, "middle": 1, "other": 5, "newest": 1}, "old", "newest")
	if got := s.History().Folded; !maps.Equal(got, map[string]int{"project": 1}) {
		t.Errorf("got the folded values %v", got)
	}
	if got := s.Exposed(w.project, "", "old") + s.Exposed(w.project, "", "new") + s.Exposed(w.project, "", "unheard of"); got != "othernewunheard of" {
		t.Errorf("got %q", got)
	}
}

// Before the start nothing is exposed, so folding at the start is the same as folding
// from the beginning with the same names.
func TestFoldAll(t *testing.T) {
	for seed := range uint64(20) {
		first, last := newWorld(), newWorld()
		names := []string{"p", "q"} // exposed, since they are used most
		for _, name := range names {
			for _, w := range []*world{first, last} {
				w.set.Bounded(w.project, "", name, birth)
				w.set.Add(w.calls, 10_000, birth, "", "t", "", name)
				w.set.Add(w.last, birth, birth, "", name)
			}
		}
		first.set.Start()
		for _, w := range []*world{first, last} {
			r := rand.New(rand.NewPCG(seed, 3))
			for range 300 {
				project := w.set.Bounded(w.project, "", "pqrs"[r.IntN(4):][:1], birth)
				w.set.Add(w.calls, r.Uint64N(9), birth+r.Int64N(dayMillis), "", "t", "", project)
				w.set.Add(w.last, birth, birth, "", project)
			}
		}
		last.set.Start()
		first.set.Release(first.set.Pending())
		for _, id := range []ID{first.calls, first.last} {
			if got, want := exposed(first.set, id), exposed(last.set, id); !maps.Equal(got, want) || len(got) != 3 {
				t.Errorf("seed %d: got %v and %v", seed, got, want)
			}
		}
	}
}

// A folded series belongs to the zero window of its exposing series, whose created time
// is its earliest event's until it may be exposed.
func TestFoldedWindow(t *testing.T) {
	for _, recording := range []bool{false, true} {
		w := newWorld()
		s := w.set
		s.Start()
		s.Record(recording)
		add := func(n uint64, after int64, name string) {
			s.Add(w.calls, n, birth+after, "", "t", "k", s.Bounded(w.project, "", name, birth))
			s.ApplyRecorded()
		}
		add(1, 0, "p")
		add(1, 0, "q")
		check := func(value uint64, after int64) {
			t.Helper()
			if got := sampleOf(t, s, "tool_calls_total", "t", "k", "other"); got.Value != value || got.Created != birth+after {
				t.Errorf("got %d, created after %d ms, want %d and %d", got.Value, got.Created-birth, value, after)
			}
		}
		add(4, 9, "r")
		check(0, 9)
		add(2, 5, "r")
		check(0, 5)
		s.Release(s.Pending())
		check(6, 5)
		s.Expose()
		s.ApplyRecorded()
		add(8, 3, Other) // counted as Other
		check(14, 5)
	}
}

// The history has all kept series, the exposed history the series of snapshots.
func TestExposedHistory(t *testing.T) {
	for seed := range uint64(10) {
		r, w := rand.New(rand.NewPCG(seed, 5)), newWorld()
		w.set.Start()
		now := int64(birth)
		for range 400 {
			now += r.Int64N(dayMillis / 20)
			w.act(r, now)
		}
		w.set.Release(w.set.Pending())
		h := w.set.History().Exposed()
		var all []FamilySamples
		w.set.SnapshotInto(&all)
		for _, f := range h.Families {
			at := slices.IndexFunc(all, func(s FamilySamples) bool { return s.Family.Name == f.Family.Name })
			if len(f.Series) != len(all[at].Samples) {
				t.Fatalf("seed %d: %s: got %d series, want %d", seed, f.Family.Name, len(f.Series), len(all[at].Samples))
			}
			for i := range f.Series {
				s, want := &f.Series[i], &all[at].Samples[i]
				var value, sum uint64
				end := int64(0)
				for _, in := range s.Increases() {
					if in.Start < end {
						t.Fatalf("seed %d: %s %v: %v is not in order", seed, f.Family.Name, s.Labels, in)
					}
					value, sum, end = SaturatingAdd(value, in.Value), SaturatingAdd(sum, in.Sum), in.End
				}
				got := fmt.Sprint(s.Labels, s.Source, s.Value, s.Sum, s.Created, value, sum)
				if want := fmt.Sprint(want.Labels, want.Source, want.Value, want.Sum, want.Created, want.Value, want.Sum); got != want {
					t.Fatalf("seed %d: %s: got %s, want %s", seed, f.Family.Name, got, want)
				}
			}
		}
	}
}
