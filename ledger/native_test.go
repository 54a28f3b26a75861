package ledger

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

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
		all[nativeBound(index, h.Schema)] = h.Counts[i]
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
	if now.Native.Schema > before.Native.Schema {
		return fmt.Errorf("the schema rose from %d to %d", before.Native.Schema, now.Native.Schema)
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
	h := newNativeHistogram()
	for _, v := range values {
		h.observe(float64(v)/unit, 1)
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
				all[nativeBound(index, int(h.GetSchema()))] = uint64(count)
			}
			deltas = deltas[1:]
			index++
		}
	}
	return all
}

// With more than 160 buckets the resolution is halved, whatever the order of the
// observations. A bucket still contains what its bounds say.
func TestNativeHalves(t *testing.T) {
	values := make([]uint64, 100_000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range values {
		values[i] = uint64(math.Exp2(r.Float64() * 35))
	}
	h := observed(values, milli)
	if h.Schema != 2 || len(h.Indexes) > maxNativeBuckets || len(h.Indexes) < maxNativeBuckets/2 {
		t.Errorf("got %d buckets of schema %d, want at most %d of schema 2", len(h.Indexes), h.Schema, maxNativeBuckets)
	}
	for i, index := range h.Indexes {
		var want uint64
		for _, v := range values {
			if s := float64(v) / milli; s > nativeBound(index-1, h.Schema) && s <= nativeBound(index, h.Schema) {
				want++
			}
		}
		if h.Counts[i] != want {
			t.Errorf("bucket %d: got %d, want %d", index, h.Counts[i], want)
		}
	}
	slices.Sort(values)
	if got := observed(values, milli); !got.equal(h) || got.Schema != h.Schema {
		t.Error("sorted observations give other buckets")
	}
	for _, parts := range [][2][]uint64{{values[:70_000], values[70_000:]}, {values[99_000:], values[:99_000]}} {
		sum := observed(parts[0], milli)
		if sum.add(observed(parts[1], milli)); !sum.equal(h) || sum.Schema != h.Schema {
			t.Error("the sum of two parts has other buckets")
		}
	}
}

// A histogram has up to 160 buckets.
func TestNativeLimit(t *testing.T) {
	h := newNativeHistogram()
	for i := range int32(maxNativeBuckets) {
		h.observe(nativeBound(i, nativeSchema), 1)
	}
	if h.Schema != nativeSchema || len(h.Indexes) != maxNativeBuckets {
		t.Errorf("got %d buckets of schema %d", len(h.Indexes), h.Schema)
	}
	h.observe(nativeBound(maxNativeBuckets, nativeSchema), 1)
	if h.Schema != nativeSchema-1 || len(h.Indexes) != maxNativeBuckets/2+1 {
		t.Errorf("one more: got %d buckets of schema %d", len(h.Indexes), h.Schema)
	}
}

// Observations of an older version, which are only in classic buckets, are added at the
// bounds of those.
func TestNativeComplete(t *testing.T) {
	bounds := []float64{0, 1, 2, 10}
	next := nativeBound(nativeIndex(10)+1, nativeSchema)
	for name, c := range map[string]struct {
		native []uint64 // in milliseconds
		counts []uint64
		want   map[float64]uint64
	}{
		"nothing":           {nil, []uint64{0, 0, 0, 0, 0}, map[float64]uint64{}},
		"all":               {nil, []uint64{5, 4, 3, 2, 1}, map[float64]uint64{0: 5, 1: 4, 2: 3, nativeBound(nativeIndex(10), 3): 2, next: 1}},
		"none missing":      {[]uint64{0, 500, 9000}, []uint64{1, 1, 0, 1, 0}, map[float64]uint64{0: 1, .5: 1, nativeBound(nativeIndex(9), 3): 1}},
		"one missing":       {[]uint64{500, 1500}, []uint64{0, 1, 2, 0, 0}, map[float64]uint64{.5: 1, nativeBound(nativeIndex(1.5), 3): 1, 2: 1}},
		"one above missing": {[]uint64{500}, []uint64{0, 1, 0, 0, 1}, map[float64]uint64{.5: 1, next: 1}},
		"zero missing":      {[]uint64{500}, []uint64{1, 1, 0, 0, 0}, map[float64]uint64{0: 1, .5: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			h := observed(c.native, milli)
			var count uint64
			for _, n := range c.counts {
				count += n
			}
			h.complete(count, bounds, c.counts)
			if got := h.byBound(); !maps.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	h := newNativeHistogram()
	if h.complete(3, nil, []uint64{3}); h.Zeros != 3 {
		t.Errorf("without bounds: got %+v", h)
	}
}

// What an older version counted after a newer one is added, and then nothing twice.
func TestNativeAfterDowngrade(t *testing.T) {
	l := New(testOptions(), birth)
	l.observe(toolDuration, 70, birth, "", "Read", "")
	s := l.tables[toolDuration].inOrder[0]
	s.Native = newNativeHistogram() // an older version observed it
	l.observe(toolDuration, 70, birth, "", "Read", "")
	for range 2 {
		l = reopened(t, l)
		s = l.tables[toolDuration].inOrder[0]
		if n, _ := s.Native.Count(); n != 2 || s.Native.through(.08) != 1 {
			t.Errorf("got %v, want both observations, and one at its own value", s.Native.byBound())
		}
	}
}

// A native part that was read must be one that was written.
func TestNativeCode(t *testing.T) {
	h := observed([]uint64{0, 1, 5, 5, 70, 1 << 50}, milli)
	coded := func(h *NativeHistogram) (*NativeHistogram, error) {
		w := codec.NewWriter(nil)
		codeNative(w, 20, &h)
		var read *NativeHistogram
		c := codec.NewReader(w.Bytes())
		codeNative(c, 20, &read)
		return read, c.Err()
	}
	if read, err := coded(h); err != nil || !read.equal(h) {
		t.Errorf("got %+v, %v, want %+v", read, err, h)
	}
	for name, damage := range map[string]func(h *NativeHistogram){
		"order":      func(h *NativeHistogram) { h.Indexes[1] = h.Indexes[0] },
		"empty":      func(h *NativeHistogram) { h.Counts[1] = 0 },
		"more":       func(h *NativeHistogram) { h.Counts = append(h.Counts, 1) },
		"far":        func(h *NativeHistogram) { h.Indexes[3] = maxNativeIndex + 1 },
		"near":       func(h *NativeHistogram) { h.Indexes[0] = -maxNativeIndex - 1 },
		"resolution": func(h *NativeHistogram) { h.Schema = -1 },
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
	for _, want := range []map[float64]uint64{{}, {nativeBound(nativeIndex(.07), nativeSchema): 1}} {
		l.SnapshotInto(&s, birth)
		got := s.Families[toolDuration].Samples[0]
		if !maps.Equal(got.Native.byBound(), want) || got.Value != uint64(len(want)) {
			t.Errorf("got %d observations, native %v, want %v", got.Value, got.Native.byBound(), want)
		}
		releaseAll(l)
	}
}
