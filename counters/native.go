package counters

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/table"
)

// NativeSchema is the resolution of native histograms: 8 buckets for each power of two,
// so that a bucket ends 9 % above its beginning.
const NativeSchema = 3

// nativeBounds are the bounds between 0.5 and 1 of schema 3, as client_golang has them.
// A table gives the same buckets on every machine; math.Log2 does not.
var nativeBounds = []float64{
	0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
	0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711,
}

// A NativeHistogram counts observations in exponential buckets. The observations alone
// determine it, whatever their order. It has at most 8 buckets for each power of two in
// the range of the stored numbers, which are below 2^64.
type NativeHistogram struct {
	Zeros uint64 // observations of 0
	// Indexes are the indexes of the buckets that are not empty, in increasing order.
	// Bucket i contains values above 2^((i-1)/8) and at most 2^(i/8).
	Indexes []int32
	Counts  []uint64 // in the order of Indexes
}

// nativeIndex returns the index of the bucket of v > 0.
func nativeIndex(v float64) int32 {
	fraction, exponent := math.Frexp(v)
	i, _ := slices.BinarySearch(nativeBounds, fraction)
	return int32(i + (exponent-1)*len(nativeBounds))
}

func (h *NativeHistogram) observe(v float64) {
	if v <= 0 {
		h.Zeros = SaturatingAdd(h.Zeros, 1)
		return
	}
	h.addTo(nativeIndex(v), 1)
}

// addTo adds n to the bucket of an index.
func (h *NativeHistogram) addTo(index int32, n uint64) {
	i, found := slices.BinarySearch(h.Indexes, index)
	if found {
		h.Counts[i] = SaturatingAdd(h.Counts[i], n)
		return
	}
	h.Indexes, h.Counts = slices.Insert(h.Indexes, i, index), slices.Insert(h.Counts, i, n)
}

// addAll adds the observations of another histogram.
func (h *NativeHistogram) addAll(from *NativeHistogram) {
	h.Zeros = SaturatingAdd(h.Zeros, from.Zeros)
	for i, index := range from.Indexes {
		h.addTo(index, from.Counts[i])
	}
}

// Count returns the number of observations. ok is false if the number overflows.
func (h *NativeHistogram) Count() (count uint64, ok bool) {
	count = h.Zeros
	for _, n := range h.Counts {
		if n > math.MaxUint64-count {
			return 0, false
		}
		count += n
	}
	return count, true
}

func (h *NativeHistogram) clone() NativeHistogram {
	var c NativeHistogram
	h.copyTo(&c)
	return c
}

// copyTo copies the histogram into the memory of another histogram.
func (h *NativeHistogram) copyTo(to *NativeHistogram) {
	to.Zeros = h.Zeros
	to.Indexes, to.Counts = append(to.Indexes[:0], h.Indexes...), append(to.Counts[:0], h.Counts...)
}

func (h *NativeHistogram) reset() { h.Zeros, h.Indexes, h.Counts = 0, h.Indexes[:0], h.Counts[:0] }

// maxNativeIndex is far beyond the index of any stored number.
const maxNativeIndex = 1 << 14

// codeNative visits the native part of a histogram, which takes three fields.
func codeNative(c *table.Coder, h *NativeHistogram) {
	table.Uint(c, 21, &h.Zeros)
	distances := h.distances()
	table.Uints(c, 22, &distances)
	table.Uints(c, 23, &h.Counts)
	if c.Reading() && !h.setDistances(distances) {
		c.Fail()
	}
}

// distances returns the distance of each index from its predecessor in zigzag encoding,
// the first from 0.
func (h *NativeHistogram) distances() []uint32 {
	all := make([]uint32, len(h.Indexes))
	var before int32
	for i, index := range h.Indexes {
		all[i], before = uint32(protowire.EncodeZigZag(int64(index-before))), index
	}
	return all
}

// setDistances sets the indexes. It returns false if they are not valid, or do not
// match the counts.
func (h *NativeHistogram) setDistances(all []uint32) bool {
	if len(all) != len(h.Counts) {
		return false
	}
	var index int64
	for i, z := range all {
		d := protowire.DecodeZigZag(uint64(z))
		index += d
		if index < -maxNativeIndex || index > maxNativeIndex || i > 0 && d <= 0 || h.Counts[i] == 0 {
			return false
		}
		h.Indexes = append(h.Indexes, int32(index))
	}
	return true
}
