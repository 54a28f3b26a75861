package counters

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/table"
)

// nativeBound returns the upper bound of a bucket.
func nativeBound(index int32) float64 {
	return math.Ldexp(nativeBounds[index&7], int(index>>3)+1)
}

// byBound returns the counts of the buckets by their upper bounds.
func (h *NativeHistogram) byBound() map[float64]uint64 {
	all := make(map[float64]uint64)
	if h.Zeros > 0 {
		all[0] = h.Zeros
	}
	for i, index := range h.Indexes {
		all[nativeBound(index)] = h.Counts[i]
	}
	return all
}

func (h *NativeHistogram) equal(other *NativeHistogram) bool {
	return maps.Equal(h.byBound(), other.byBound())
}

// observed returns a histogram of observations in an order.
func observed(values []uint64, unit float64) *NativeHistogram {
	h := new(NativeHistogram)
	for _, v := range values {
		h.observe(float64(v) / unit)
	}
	return h
}

// Observations are in the same buckets as in the client library, and their order does
// not matter.
func TestNativeObserve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []float64{1, milli} {
		values := []uint64{0, 1, 2, 3, 4, 5, 499, 500, 501, 1000, 1001, 1 << 20, math.MaxUint64}
		for range 100 {
			values = append(values, r.Uint64N(1<<r.Uint64N(20)))
		}
		library := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "a", NativeHistogramBucketFactor: 1.1})
		for _, v := range values {
			library.Observe(float64(v) / unit)
		}
		var want dto.Metric
		if err := library.Write(&want); err != nil {
			t.Fatal(err)
		}
		h := observed(values, unit)
		if got, want := h.byBound(), boundsOf(want.Histogram); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if again := observed(values, unit); !again.equal(h) {
			t.Errorf("in another order: got %v, want %v", again, h)
		}
	}
}

// boundsOf returns the counts of the native buckets of a metric by their upper bounds.
func boundsOf(h *dto.Histogram) map[float64]uint64 {
	all := make(map[float64]uint64)
	if h.GetZeroCount() > 0 {
		all[0] = h.GetZeroCount()
	}
	var index int32
	var count int64
	deltas := h.PositiveDelta
	for _, span := range h.PositiveSpan {
		index += span.GetOffset()
		for range span.GetLength() {
			if count += deltas[0]; count > 0 {
				all[nativeBound(index)] = uint64(count)
			}
			deltas = deltas[1:]
			index++
		}
	}
	return all
}

// Stored numbers have up to 513 buckets.
func TestNativeRange(t *testing.T) {
	if first, last := nativeIndex(1), nativeIndex(math.MaxUint64); last-first != 512 {
		t.Errorf("got buckets %d to %d", first, last)
	}
}

// A native part that no writer can have written is refused.
func TestNativeCode(t *testing.T) {
	h := observed([]uint64{0, 1, 5, 5, 70, 1 << 50}, milli)
	coded := func(h NativeHistogram) (read NativeHistogram, err error) {
		w := table.NewWriter(nil)
		codeNative(w, &h)
		c := table.NewReader(w.Bytes())
		codeNative(c, &read)
		return read, c.Done()
	}
	if read, err := coded(*h); err != nil || !read.equal(h) {
		t.Errorf("got %+v, %v, want %+v", read, err, h)
	}
	for name, damage := range map[string]func(h *NativeHistogram){
		"order": func(h *NativeHistogram) { h.Indexes[1] = h.Indexes[0] },
		"empty": func(h *NativeHistogram) { h.Counts[1] = 0 },
		"more":  func(h *NativeHistogram) { h.Counts = append(h.Counts, 1) },
		"far":   func(h *NativeHistogram) { h.Indexes[3] = maxNativeIndex + 1 },
		"near":  func(h *NativeHistogram) { h.Indexes[0] = -maxNativeIndex - 1 },
	} {
		damaged := h.clone()
		damage(&damaged)
		if _, err := coded(damaged); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A new series is empty until it is released, although it is observed.
func TestNativeZeroFirst(t *testing.T) {
	w := newWorld()
	w.set.Start()
	w.set.Add(w.durations, 70, birth, "", "Read")
	for _, want := range []map[float64]uint64{{}, {nativeBound(nativeIndex(.07)): 1}} {
		got := sampleOf(t, w.set, "tool_duration_seconds", "Read")
		if !maps.Equal(got.Native.byBound(), want) || got.Value != uint64(len(want)) {
			t.Errorf("got %d observations, native %v, want %v", got.Value, got.Native.byBound(), want)
		}
		w.set.Release(w.set.Pending())
	}
}
