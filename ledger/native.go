package ledger

import (
	"math"
	"slices"
)

const (
	// nativeSchema is the resolution of native histograms: 8 buckets for each power of
	// two, so that a bucket ends 9 % above its beginning.
	nativeSchema = 3

	// maxNativeBuckets is the number of buckets above which the resolution is halved.
	maxNativeBuckets = 160
)

// nativeBounds are the bounds between 0.5 and 1 of schema 3, those of client_golang. A
// table gives the same buckets on every machine; math.Log2 does not.
var nativeBounds = []float64{
	0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
	0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711,
}

// A NativeHistogram counts observations in exponential buckets. The observations alone
// determine it, whatever their order.
type NativeHistogram struct {
	// Schema is the resolution: a bucket contains what is above 2^((i-1)/2^Schema) and at
	// most 2^(i/2^Schema), where i is its index. It never rises.
	Schema  int
	Zeros   uint64   // observations of 0
	Indexes []int32  // of the buckets that are not empty, in increasing order
	Counts  []uint64 // of these buckets
}

func newNativeHistogram() *NativeHistogram { return &NativeHistogram{Schema: nativeSchema} }

// nativeIndex returns the index of the bucket of v > 0 in nativeSchema.
func nativeIndex(v float64) int32 {
	fraction, exponent := math.Frexp(v)
	i, _ := slices.BinarySearch(nativeBounds, fraction)
	return int32(i + (exponent-1)*len(nativeBounds)) //nolint:gosec // exponents have 11 bits
}

// nativeBound returns the upper bound of a bucket.
func nativeBound(index int32, schema int) float64 {
	index <<= nativeSchema - schema
	return math.Ldexp(nativeBounds[index&7], int(index>>nativeSchema)+1)
}

// observe adds n observations of v.
func (h *NativeHistogram) observe(v float64, n uint64) {
	switch {
	case n == 0:
	case v <= 0:
		h.Zeros = SaturatingAdd(h.Zeros, n)
	default:
		index := nativeIndex(v)
		for range nativeSchema - h.Schema {
			index = halved(index)
		}
		h.addTo(index, n)
	}
}

// addTo adds n to the bucket of an index.
func (h *NativeHistogram) addTo(index int32, n uint64) {
	i, found := slices.BinarySearch(h.Indexes, index)
	if found {
		h.Counts[i] = SaturatingAdd(h.Counts[i], n)
		return
	}
	h.Indexes, h.Counts = slices.Insert(h.Indexes, i, index), slices.Insert(h.Counts, i, n)
	for len(h.Indexes) > maxNativeBuckets {
		h.halve()
	}
}

// halved returns the index of a bucket in the next lower schema.
func halved(index int32) int32 { return (index + 1) >> 1 }

// halve merges every two neighbouring buckets.
func (h *NativeHistogram) halve() {
	merged := 0
	for i, index := range h.Indexes {
		index = halved(index)
		if merged > 0 && h.Indexes[merged-1] == index {
			h.Counts[merged-1] = SaturatingAdd(h.Counts[merged-1], h.Counts[i])
			continue
		}
		h.Indexes[merged], h.Counts[merged] = index, h.Counts[i]
		merged++
	}
	h.Indexes, h.Counts = h.Indexes[:merged], h.Counts[:merged]
	h.Schema--
}

// add adds the observations of another histogram.
func (h *NativeHistogram) add(other *NativeHistogram) {
	h.Zeros = SaturatingAdd(h.Zeros, other.Zeros)
	for h.Schema > other.Schema {
		h.halve()
	}
	for i, index := range other.Indexes {
		for range other.Schema - h.Schema { // adding may halve h
			index = halved(index)
		}
		h.addTo(index, other.Counts[i])
	}
}

// Count returns the number of observations, and false if it does not fit or h is nil.
func (h *NativeHistogram) Count() (count uint64, ok bool) {
	if h == nil {
		return 0, false
	}
	count = h.Zeros
	for _, n := range h.Counts {
		if n > math.MaxUint64-count {
			return 0, false
		}
		count += n
	}
	return count, true
}

// complete adds observations that only the classic buckets have, until there are count:
// an older version made them. They are added at the upper bounds of their buckets, and
// those above all bounds right above the last.
func (h *NativeHistogram) complete(count uint64, bounds []float64, counts []uint64) {
	have, _ := h.Count()
	missing := count - have
	var upTo uint64 // observations up to a bound
	for i, bound := range bounds {
		upTo = SaturatingAdd(upTo, counts[i]) //nolint:gosec // there is one more than bounds
		n := min(missing, upTo-min(upTo, h.upTo(bound)))
		h.observe(bound, n)
		missing -= n
	}
	if missing == 0 {
		return
	}
	if last := bounds[max(0, len(bounds)-1):]; len(last) > 0 && last[0] > 0 {
		h.observe(nativeBound(nativeIndex(last[0])+1, nativeSchema), missing)
		return
	}
	h.Zeros = SaturatingAdd(h.Zeros, missing)
}

// upTo returns the number of observations in the buckets up to that of a value.
func (h *NativeHistogram) upTo(v float64) (n uint64) {
	if v < 0 {
		return 0
	}
	n = h.Zeros
	for i, index := range h.Indexes {
		if v == 0 || nativeBound(index-1, h.Schema) >= v {
			break
		}
		n = SaturatingAdd(n, h.Counts[i])
	}
	return n
}

// clone returns a copy. It is nil if h is.
func (h *NativeHistogram) clone() *NativeHistogram {
	if h == nil {
		return nil
	}
	return &NativeHistogram{h.Schema, h.Zeros, slices.Clone(h.Indexes), slices.Clone(h.Counts)}
}

// copyTo returns a copy, in the memory of another histogram unless that is nil.
func (h *NativeHistogram) copyTo(to *NativeHistogram) *NativeHistogram {
	if to == nil {
		to = new(NativeHistogram)
	}
	to.Schema, to.Zeros = h.Schema, h.Zeros
	to.Indexes, to.Counts = append(to.Indexes[:0], h.Indexes...), append(to.Counts[:0], h.Counts...)
	return to
}

// reset removes all observations.
func (h *NativeHistogram) reset() {
	if h != nil {
		h.Zeros, h.Indexes, h.Counts = 0, h.Indexes[:0], h.Counts[:0]
	}
}
