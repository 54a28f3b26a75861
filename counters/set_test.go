package counters

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
)

// Counters add up, gauges never fall, and neither overflows.
func TestAdd(t *testing.T) {
	w := newWorld()
	for _, n := range []uint64{0, 5, 2, math.MaxUint64 - 8, 0, 3, math.MaxUint64} {
		w.set.Add(w.runs, n, birth, "")
	}
	for _, n := range []uint64{5, 9, 2} {
		w.set.Add(w.last, n, birth, "", "p")
	}
	w.set.Add(w.last, 4, birth, "", "q")
	if got := sampleValue(w.set, w.runs); got != math.MaxUint64 {
		t.Errorf("got %d, want the largest number", got)
	}
	if got := values(w.set, w.last); !maps.Equal(got, map[string]uint64{"p ": 9, "q ": 4}) || w.set.Max(w.last) != 9 || w.set.Max(w.cost) != 0 {
		t.Errorf("got %v and at most %d", got, w.set.Max(w.last))
	}
	for _, tt := range [][3]uint64{{1, 2, 3}, {math.MaxUint64, 1, math.MaxUint64}, {math.MaxUint64 - 1, 1, math.MaxUint64}, {0, 0, 0}} {
		if got := SaturatingAdd(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d + %d: got %d", tt[0], tt[1], got)
		}
	}
}

func sampleValue(s *Set, id ID) uint64 { return s.families[id].inOrder[0].Value }

// An observation is in the first bucket whose bound is not below it.
func TestHistogram(t *testing.T) {
	w := newWorld()
	for _, n := range []uint64{0, 1, 1000, 1001, 10_000, 10_001, math.MaxUint64} {
		w.set.Add(w.durations, n, birth, "", "a")
	}
	w.set.Release(w.set.Pending())
	got := sampleOf(t, w.set, "tool_duration_seconds", "a")
	if !slices.Equal(got.Counts, []uint64{3, 2, 2}) || got.Value != 7 || got.Sum != math.MaxUint64 {
		t.Errorf("got %+v", got)
	}
}

// A histogram whose bounds change has at least as many observations as before under a
// bound that stays, and the same total.
func TestRebucket(t *testing.T) {
	for _, tt := range []struct {
		bounds []float64
		want   []uint64
	}{
		{[]float64{1, 10}, []uint64{1, 2, 4}},
		{[]float64{1}, []uint64{1, 6}},
		{[]float64{10}, []uint64{3, 4}},
		{[]float64{0.5, 1, 5, 20}, []uint64{0, 1, 0, 2, 4}},
		{[]float64{}, []uint64{7}},
	} {
		for _, recording := range []bool{false, true} {
			w := newWorld()
			w.set.Record(recording)
			for i, n := range []uint64{1, 2, 4} {
				for range n {
					w.set.Add(w.durations, []uint64{500, 5000, 50_000}[i], birth, "", "a")
				}
			}
			w.set.ApplyRecorded()
			before := w.set.History()
			o := options()
			o.Buckets = map[string][]float64{"tool_duration_seconds": tt.bounds}
			w.set.Configure(o)
			w.set.Add(w.durations, 0, birth, "", "b") // created with the old bounds, if recorded
			w.set.ApplyRecorded()
			w.set.Release(w.set.Pending())
			if got := sampleOf(t, w.set, "tool_duration_seconds", "a"); !slices.Equal(got.Counts, tt.want) || got.Value != 7 {
				t.Errorf("%v: got %v, want %v", tt.bounds, got.Counts, tt.want)
			}
			b := make([]uint64, len(tt.want))
			b[0] = 1
			if got := sampleOf(t, w.set, "tool_duration_seconds", "b"); !slices.Equal(got.Counts, b) {
				t.Errorf("%v: got %v, want %v", tt.bounds, got.Counts, b)
			}
			if got := w.set.Families()[w.durations].Buckets; !slices.Equal(got, tt.bounds) {
				t.Errorf("got the bounds %v, want %v", got, tt.bounds)
			}
			if got := before.Families[3].Family.Buckets; !slices.Equal(got, []float64{1, 10}) {
				t.Errorf("the bounds of a copy have changed to %v", got)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	w := newWorld()
	w.set.Configure(Options{Limits: map[string]int{"tool": 9}, Buckets: map[string][]float64{"tool_duration_seconds": {3}}})
	limits, buckets := w.set.Defaults()
	if !maps.Equal(limits, map[string]int{"tool": 4, "project": 2}) {
		t.Errorf("got limits %v", limits)
	}
	if !reflect.DeepEqual(buckets, map[string][]float64{"tool_duration_seconds": {1, 10}}) {
		t.Errorf("got buckets %v", buckets)
	}
	w.set.Configure(Options{Limits: limits, Buckets: buckets})
	if got := w.set.Families(); !slices.Equal(got[w.durations].Buckets, []float64{1, 10}) || got[w.runs].Name != "runs_total" || len(got) != 7 {
		t.Errorf("got families %v", got)
	}
}

func TestInUnit(t *testing.T) {
	for _, tt := range []struct {
		v, perUnit uint64
		want       float64
	}{
		{7, 0, 7},
		{7, 1, 7},
		{31869, 1000, 31.869},
		{1_767_225_600_123, 1000, 1767225600.123},
		{3, 10, 0.3},
		{1 << 53, 1, 9007199254740992},
	} {
		f := Family{PerUnit: tt.perUnit}
		if got := f.InUnit(tt.v); got != tt.want {
			t.Errorf("InUnit(%d), %d per unit: got %v, want %v", tt.v, tt.perUnit, got, tt.want)
		}
	}
}

// SnapshotInto keeps the indexes of families and series, and allocates nothing for
// known series. A clone does not change.
func TestSnapshotIntoAgain(t *testing.T) {
	w := newWorld()
	w.set.Configure(Options{})
	for i := range 100 {
		w.set.Add(w.durations, uint64(i), birth, "", fmt.Sprint(i))
	}
	var all []FamilySamples
	w.set.SnapshotInto(&all)
	clone := Clone(all)
	want := fmt.Sprintf("%+v %v", clone[w.durations].Samples, clone[w.durations].Family.Buckets)
	w.set.Release(w.set.Pending())
	w.set.Add(w.durations, 1, birth, "", "new")
	w.set.Configure(Options{Buckets: map[string][]float64{"tool_duration_seconds": {7}}})
	w.set.SnapshotInto(&all)
	if got := fmt.Sprintf("%+v %v", clone[w.durations].Samples, clone[w.durations].Family.Buckets); got != want {
		t.Errorf("the clone has changed: got %s, want %s", got, want)
	}
	samples := all[w.durations].Samples
	for i := range 100 {
		if sample := samples[i]; sample.Labels[0] != fmt.Sprint(i) || sample.Value != 1 {
			t.Errorf("series %d is %+v", i, sample)
		}
	}
	if !all[w.cost].Hidden || all[w.runs].Hidden || len(samples) != 101 || samples[100].Value != 0 {
		t.Errorf("got %+v", all)
	}
	if n := testing.AllocsPerRun(10, func() { w.set.SnapshotInto(&all) }); n > 0 {
		t.Errorf("got %v allocations", n)
	}
}
