package counters

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// nativeBound returns the upper bound of a bucket.
func nativeBound(index int32) float64 {
	return math.Ldexp(nativeBounds[index&7], int(index>>3)+1)
}

// byBound returns the counts of the buckets by their upper bounds.
func (h *NativeHistogram) byBound() map[float64]uint64 {
	all := make(map[float64]uint64)
	if h == nil {
		return all
	}
	if h.Zeros > 0 {
		all[0] = h.Zeros
	}
	for i, index := range h.Indexes {
		all[nativeBound(index)] = h.Counts[i]
	}
	return all
}

func (h *NativeHistogram) equal(other *NativeHistogram) bool {
	return (h == nil) == (other == nil) && maps.Equal(h.byBound(), other.byBound())
}

func (h *NativeHistogram) isZero() bool { return len(h.byBound()) == 0 }

// nativeNeverFell checks that the native part of a histogram has all its observations,
// and at each of its bounds at least as many as before.
func nativeNeverFell(now, before Sample) error {
	if now.Native == nil {
		return nil
	}
	if n, ok := now.Native.Count(); !ok || n != now.Value {
		return fmt.Errorf("got %d native observations, want %d", n, now.Value)
	}
	for bound := range now.Native.byBound() {
		if got, want := now.Native.through(bound), before.Native.through(bound); got < want {
			return fmt.Errorf("fell from %d to %d under %g", want, got, bound)
		}
	}
	return nil
}

// through returns the number of observations in buckets that end at a bound or below.
func (h *NativeHistogram) through(bound float64) (n uint64) {
	for b, count := range h.byBound() {
		if b <= bound {
			n += count
		}
	}
	return n
}

// observed returns a histogram of observations in an order.
func observed(values []uint64, unit float64) *NativeHistogram {
	h := new(NativeHistogram)
	for _, v := range values {
		h.observe(float64(v) / unit)
	}
	return h
}

// Observations are in the buckets in which the client library has them, and their order
// does not matter.
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

// A native part without all observations, or with a lower resolution, is dropped: older
// versions wrote these.
func TestNativeOfOlderVersion(t *testing.T) {
	for name, older := range map[string]*NativeHistogram{"some": {Indexes: []int32{-30}, Counts: []uint64{1}}, "none": {}, "nil": nil} {
		l := New(testOptions(), birth)
		l.observe(toolDuration, 70, birth, "", "Read", "")
		l.observe(toolDuration, 70, birth, "", "Read", "")
		l.tables[toolDuration].inOrder[0].Native = older
		for range 2 {
			l = reopened(t, l)
			l.observe(toolDuration, 70, birth, "", "Read", "")
		}
		if s := l.tables[toolDuration].inOrder[0]; s.Native != nil || s.Value != 4 {
			t.Errorf("%s: got %+v, want only classic buckets", name, s)
		}
	}
	w := codec.NewWriter(nil)
	codec.Uint(w, 20, new(uint32(1)))
	c, h := codec.NewReader(w.Bytes()), new(NativeHistogram)
	if codeNative(c, &h); h != nil || c.Err() != nil {
		t.Errorf("lower resolution: got %v, %v", h, c.Err())
	}
}

// A native part that was read must be one that was written.
func TestNativeCode(t *testing.T) {
	h := observed([]uint64{0, 1, 5, 5, 70, 1 << 50}, milli)
	coded := func(h *NativeHistogram) (*NativeHistogram, error) {
		w := codec.NewWriter(nil)
		codeNative(w, &h)
		var read *NativeHistogram
		c := codec.NewReader(w.Bytes())
		codeNative(c, &read)
		return read, c.Err()
	}
	if read, err := coded(h); err != nil || !read.equal(h) {
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
		damage(damaged)
		if _, err := coded(damaged); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A new series is empty until it is released, although it is observed.
func TestNativeZeroFirst(t *testing.T) {
	l := New(testOptions(), birth)
	l.observe(toolDuration, 70, birth, "", "Read", "")
	var s Snapshot
	for _, want := range []map[float64]uint64{{}, {nativeBound(nativeIndex(.07)): 1}} {
		l.SnapshotInto(&s, birth)
		got := s.Families[toolDuration].Samples[0]
		if !maps.Equal(got.Native.byBound(), want) || got.Value != uint64(len(want)) {
			t.Errorf("got %d observations, native %v, want %v", got.Value, got.Native.byBound(), want)
		}
		releaseAll(l)
	}
}
