package counters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// The increases of every series are in order and add up to its value after any
// operations.
func TestHistoryAddsUp(t *testing.T) {
	for seed := range uint64(30) {
		r, w := rand.New(rand.NewPCG(seed, 5)), newWorld()
		now := int64(birth)
		for i := range 400 {
			now += r.Int64N(dayMillis / 20)
			w.act(r, now)
			if i%40 == 0 {
				o := options()
				o.MaxSeries = 5 + r.IntN(9)
				w.set.Configure(o)
				checkHistory(t, w.set)
			}
		}
		checkHistory(t, reopened(t, w).set)
	}
}

func checkHistory(t *testing.T, set *Set) {
	t.Helper()
	h := set.History()
	for _, f := range h.Families {
		for i := range f.Series {
			s := &f.Series[i]
			value, sum, end := uint64(0), uint64(0), int64(math.MinInt64)
			for _, in := range s.Increases() {
				length := int64(fineMillis)
				if in.Start < h.FineFrom {
					length *= perCoarse
				}
				if in.Start < end || in.End-in.Start != length || in.Start%length != 0 || in.Value == 0 && in.Sum == 0 {
					t.Fatalf("%s %v: got %v after %d", f.Family.Name, s.Labels, in, end)
				}
				value, sum, end = value+in.Value, sum+in.Sum, in.End
			}
			if value != s.Value || sum != s.Sum {
				t.Fatalf("%s %v: got increases of %d and %d, want %d and %d", f.Family.Name, s.Labels, value, sum, s.Value, s.Sum)
			}
		}
	}
}

// A history shares no memory with the changing set.
func TestHistoryIsACopy(t *testing.T) {
	r, w := rand.New(rand.NewPCG(1, 6)), newWorld()
	var copies []History
	var want []string
	for i := range 600 {
		if w.act(r, birth+int64(i)*dayMillis/50); i%10 == 0 {
			h := w.set.History()
			copies, want = append(copies, h), append(want, dumpHistory(&h))
		}
		if i%25 == 0 {
			encode(w.set) // merges
		}
		if i == 300 {
			w.set.Start()
		}
	}
	for i := range copies {
		if d := difftest.Diff(want[i], dumpHistory(&copies[i])); d != "" {
			t.Fatalf("copy %d has changed: %s", i, d)
		}
	}
}

// grown returns the increases of the first series of a family.
func grown(s *Set, id ID) []increase { return s.families[id].inOrder[0].increases.all(0) }

// Growth is not recorded while the history is off, and earlier records are kept.
func TestHistoryOff(t *testing.T) {
	for _, recording := range []bool{false, true} {
		w := newWorld()
		w.set.Record(recording)
		w.set.Advance(birth)
		at, off := int64(birth), options()
		add := func() {
			at += Interval.Milliseconds()
			w.set.Add(w.runs, 5, at, "")
			w.set.ApplyRecorded()
		}
		add()
		fine := w.set.History().FineFrom
		off.FineHistory = 0
		w.set.Configure(off)
		w.set.Advance(birth + 300*dayMillis)
		add()
		if h := w.set.History(); !h.Off || h.FineFrom != fine || len(h.Families) == 0 {
			t.Errorf("got %+v, want the history off and five minutes from %d as before", h, fine)
		}
		w = reopened(t, w)
		w.set.Record(recording)
		w.set.Configure(options())
		add()
		first := intervalOf(birth) + 1
		if got, want := grown(w.set, w.runs), []increase{{first, 5, 0}, {first + 2, 5, 0}}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func millis(t *testing.T, s string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// The boundary is at midnight, well in the past, and only moves forward, except after a
// wrong clock.
func TestAdvance(t *testing.T) {
	for _, recording := range []bool{false, true} {
		w := newWorld()
		w.set.Record(recording)
		for _, tt := range []struct{ now, want string }{
			{"2026-05-10T00:00:00Z", "2026-05-07T00:00:00Z"},
			{"2026-05-10T23:59:59Z", "2026-05-07T00:00:00Z"},
			{"2026-05-11T00:00:00Z", "2026-05-08T00:00:00Z"},
			{"2026-05-09T00:00:00Z", "2026-05-08T00:00:00Z"},
			{"2038-01-20T00:00:00Z", "2038-01-17T00:00:00Z"}, // a wrong clock
			{"2026-05-12T00:00:00Z", "2026-05-09T00:00:00Z"},
		} {
			w.set.Advance(millis(t, tt.now))
			w.set.ApplyRecorded()
			if got, want := w.set.History().FineFrom, millis(t, tt.want); got != want {
				t.Errorf("at %s: got %d, want %d", tt.now, got, want)
			}
			if again := reopened(t, w); again.set.History().FineFrom != millis(t, tt.want) {
				t.Errorf("at %s: reopened: got %d", tt.now, again.set.History().FineFrom)
			}
		}
		// Of several boundaries that are applied together, only the last matters.
		w.set.Advance(millis(t, "2026-05-14T00:00:00Z"))
		w.set.Advance(millis(t, "2026-05-13T00:00:00Z"))
		w.set.ApplyRecorded()
		if got, want := w.set.History().FineFrom, millis(t, "2026-05-11T00:00:00Z"); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// A gauge that never falls and a family that is not exposed have no history.
func TestHistoryFamilies(t *testing.T) {
	w := newWorld()
	w.set.Add(w.last, 5, birth, "", "p")
	names := func() (all []string) {
		for _, f := range w.set.History().Families {
			all = append(all, f.Family.Name)
		}
		return all
	}
	want := []string{"ccwatchd_label_overflow_total", "tool_calls_total", "runs_total", "tool_duration_seconds", "cost_total", "waiting"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.set.Configure(Options{})
	if got, want := names(), slices.Delete(want, 4, 5); !slices.Equal(got, want) {
		t.Errorf("without prices: got %v, want %v", got, want)
	}
	if got := grown(w.set, w.last); len(got) > 0 {
		t.Errorf("the gauge has increases %v", got)
	}
}

// Neither a value nor its increases grow beyond the largest number.
func TestHistoryIsSaturated(t *testing.T) {
	w := newWorld()
	for i := range int64(3) {
		w.set.Add(w.runs, math.MaxUint64-5, birth+i*dayMillis, "")
		w.set.Add(w.durations, math.MaxUint64-5, birth+i*dayMillis, "", "Bash")
	}
	checkHistory(t, reopened(t, w).set)
	if got := sampleValue(w.set, w.runs); got != math.MaxUint64 {
		t.Errorf("got %d", got)
	}
}

// Visiting increases can stop early.
func TestAllStops(t *testing.T) {
	w := newWorld()
	for i := range int64(40) {
		w.set.Add(w.runs, 1, birth+i*(i%3)*fineMillis, "")
	}
	h := w.set.History()
	s := &h.Families[2].Series[0]
	for n, all := 0, s.Increases(); n < len(all); n++ {
		var got []Increase
		for in := range s.All() {
			if got = append(got, in); len(got) > n {
				break
			}
		}
		if !slices.Equal(got, all[:n+1]) {
			t.Fatal(fmt.Sprint("got ", got, ", want ", all[:n+1]))
		}
	}
}
