package counters

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// The series of a source are the same whatever other sources do.
func TestSourcesAreApart(t *testing.T) {
	for seed := range uint64(20) {
		alone, shared := newWorld(), newWorld()
		r := rand.New(rand.NewPCG(seed, 11))
		use := func(w *world, source SourceLabels, names string, n uint64) {
			w.set.Add(w.calls, n, birth, source, w.set.Bounded(w.tool, source, names[:1], birth), "k", w.set.Bounded(w.project, source, names[1:], birth))
		}
		for i := range 200 {
			names, n := fmt.Sprint(r.IntN(6), r.IntN(9)), r.Uint64N(9)
			use(alone, "mine", names, n)
			use(shared, "mine", names, n)
			use(shared, "others", fmt.Sprint(r.IntN(10), i), n)
			switch i {
			case 50:
				alone.set.Start()
				shared.set.Start()
			case 100:
				alone, shared = reopened(t, alone), reopened(t, shared)
			}
		}
		mine := func(w *world) map[string]uint64 {
			w.set.Release(w.set.Pending())
			all := exposed(w.set, w.calls)
			maps.DeleteFunc(all, func(labels string, _ uint64) bool { return !strings.HasSuffix(labels, "mine") })
			return all
		}
		if d := difftest.Diff(mine(alone), mine(shared)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// A name counts for the limit for 90 days after it was given and after its last use. A
// name stays, and so does a value that was folded.
func TestNamesInUse(t *testing.T) {
	w := newWorld()
	s := w.set
	o := options()
	o.Limits = map[string]int{"project": 2}
	use := func(day int64, name string) string {
		when := birth + day*dayMillis
		s.Advance(when)
		name = s.Bounded(w.project, "a", name, when)
		s.Add(w.last, uint64(when), when, "a", name)
		return s.Exposed(w.project, "a", name)
	}
	s.Configure(o)
	s.labels[w.project].kept = 100
	s.Start()
	for _, step := range []struct {
		day        int64
		name, want string
	}{
		{0, "p", "p"}, {0, "q", "q"}, {0, "r", Other}, {89, "s", Other}, {89, "q", "q"},
		{90, "t", "t"}, // p is out of use
		{90, "u", Other}, {91, "r", Other}, {91, "p", "p"}, {92, "v", Other}, {178, "w", Other},
		{183, "w", Other}, {183, "x", "x"}, {183, "y", "y"}, {183, "z", Other}, {184, "t", "t"},
	} {
		if got := use(step.day, step.name); got != step.want {
			t.Errorf("day %d: %s is exposed as %s, want %s", step.day, step.name, got, step.want)
		}
		w = reopened(t, w)
		s = w.set
		s.labels[w.project].kept = 100
	}
}

// A label has room for known names, whose other spellings take room, and have the name
// without it.
func TestKnown(t *testing.T) {
	w := newWorld()
	w.set.Configure(Options{Limits: map[string]int{"tool": 1}, MaxSeries: 3})
	w.set.Known(w.tool, func(value string) (string, bool) { return "known", strings.HasPrefix(value, "known") })
	w.set.Start()
	for _, tt := range []struct{ value, want string }{
		{"known", "known"}, {"known-1", "known-1"}, {"known-2", "known"}, {"known-1", "known-1"}, {"x", Other}, {"known", "known"},
	} {
		if got := w.set.Peek(w.tool, "a", tt.value); got != tt.want {
			t.Errorf("peeking at %q: got %q, want %q", tt.value, got, tt.want)
		}
		if got := w.set.Bounded(w.tool, "a", tt.value, birth); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.value, got, tt.want)
		}
	}
	if got := values(w.set, w.set.overflow)["tool "]; got != 1 {
		t.Errorf("got %d overflows, want 1", got)
	}
	for i := range 5 {
		w.set.Add(w.calls, 1, birth, "a", "known-1", fmt.Sprint(i), "")
	}
	w.set.Release(w.set.Pending())
	if got := exposed(w.set, w.calls); got["known-1 2  a"] != 1 || got["known 3  a"] != 1 || len(got) != 5 {
		t.Errorf("in a full family: got %v", got)
	}
}

// Very many sources share limits in the end.
func TestMaxSources(t *testing.T) {
	w := newWorld()
	for i := range maxSources + 10 {
		source := SourceLabels(fmt.Sprint("source", i))
		want := fmt.Sprint("v", i)
		if i >= maxSources+4 { // the limit of the label
			want = Other
		}
		if got := w.set.Bounded(w.tool, source, fmt.Sprint("v", i), birth); got != want {
			t.Errorf("source %d: got %s, want %s", i, got, want)
		}
	}
	w = reopened(t, w)
	if got := w.set.Bounded(w.tool, "source0", "new", birth); got != "new" || len(w.set.labels[w.tool].bySource) != maxSources+1 {
		t.Errorf("got %s for a source with a limit of its own, and %d sources", got, len(w.set.labels[w.tool].bySource))
	}
}

// The operations of a journal before format 3 state no source. The values with names
// are known to all sources, the folded values are new, and get a series of their own.
func TestSharedValues(t *testing.T) {
	for _, recording := range []bool{false, true} {
		w := newWorld()
		w.set.Start()
		if err := w.set.Apply([]byte("\x1d\x07project\x01p" + "\x0d\x07project\x01q")); err != nil {
			t.Fatal(err)
		}
		add := func(name string) {
			w.set.Record(recording)
			w.set.Add(w.calls, 1, birth, "a", "t", "k", w.set.Bounded(w.project, "a", name, birth))
			operations := append([]byte(nil), w.set.Operations()...)
			again := reopened(t, w)
			if err := again.set.Apply(operations); err != nil {
				t.Fatal(err)
			}
			w.set.ApplyRecorded()
			w.set.Record(false)
			if recording && !bytes.Equal(encode(again.set), encode(w.set)) {
				t.Errorf("replayed: %s", difftest.Diff(historyText(w.set), historyText(again.set)))
			}
		}
		check := func(want map[string]uint64) {
			t.Helper()
			w.set.Release(w.set.Pending())
			if got := exposed(w.set, w.calls); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		w.set.Add(w.calls, 5, birth, "a", "t", "k", "q")
		add("p")
		check(map[string]uint64{"t k other a": 5, "t k p a": 1})
		if got := w.set.History().Folded; !maps.Equal(got, map[string]int{"project": 1}) {
			t.Errorf("got the folded values %v", got)
		}
		for range 2 {
			add("q")
			w = reopened(t, w)
		}
		add("x")
		check(map[string]uint64{"t k other a": 5, "t k p a": 1, "t k q a": 2, "t k x a": 1})
		if got := w.set.History().Folded; len(got) > 0 {
			t.Errorf("got the folded values %v", got)
		}
		if got := w.set.History().Exposed().Families; len(got) == 0 {
			t.Error("got no exposed history")
		}
	}
}
