package counters

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// expose configures the bounds of the histogram.
func (w *world) expose(bounds ...float64) {
	o := options()
	o.Buckets = map[string][]float64{"tool_duration_seconds": bounds}
	w.set.Configure(o)
	w.set.ApplyRecorded()
}

// A bound that is removed and added again continues where it was.
func TestBoundReturns(t *testing.T) {
	for _, recording := range []bool{false, true} {
		w := newWorld()
		w.set.Record(recording)
		for _, n := range []uint64{500, 5000, 5000, 50_000} {
			w.set.Add(w.durations, n, birth, "", "a")
		}
		w.set.ApplyRecorded()
		w.expose(1)
		w.set.Add(w.durations, 7000, birth, "", "a")
		w.set.ApplyRecorded()
		w = reopened(t, w)
		w.expose(1, 10)
		w.set.Release(w.set.Pending())
		if got := sampleOf(t, w.set, "tool_duration_seconds", "a"); !slices.Equal(got.Counts, []uint64{1, 3, 1}) {
			t.Errorf("recording %t: got %v", recording, got.Counts)
		}
	}
}

// The count up to a bound never falls, in whatever order bounds are exposed, and the
// total is kept.
func TestBucketsNeverFall(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		w, highest := newWorld(), make(map[float64]uint64) // by bound
		for range 100 {
			switch r.IntN(4) {
			case 0:
				var bounds []float64
				for bound := range 12 {
					if r.IntN(3) == 0 {
						bounds = append(bounds, float64(bound))
					}
				}
				w.expose(bounds...)
			case 1:
				before := w
				w = reopened(t, w)
				w.set.Configure(before.set.opts)
			default:
				w.set.Add(w.durations, r.Uint64N(15_000), birth, "", "a")
			}
			w.set.Release(w.set.Pending())
			if len(w.set.families[w.durations].inOrder) == 0 {
				continue
			}
			s, below := sampleOf(t, w.set, "tool_duration_seconds", "a"), uint64(0)
			for i, bound := range w.set.Families()[w.durations].Buckets {
				if below += s.Counts[i]; below < highest[bound] {
					t.Fatalf("seed %d: %d up to %g, after %d", seed, below, bound, highest[bound])
				}
				highest[bound] = below
			}
			if below += s.Counts[len(s.Counts)-1]; below != s.Value {
				t.Fatalf("seed %d: got %d observations, want %d", seed, below, s.Value)
			}
		}
	}
}

// The number of kept bounds is limited, however often they change.
func TestBoundsAreLimited(t *testing.T) {
	w := newWorld()
	w.set.Add(w.durations, 500, birth, "", "a")
	for i := range 30 {
		var bounds []float64
		for j := range 100 {
			bounds = append(bounds, float64(100*i+j))
		}
		w.expose(bounds...)
	}
	if n := len(w.set.families[w.durations].bounds); n > maxBounds {
		t.Errorf("got %d bounds", n)
	}
}
