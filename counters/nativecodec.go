package counters

import "github.com/ccwatchd/ccwatchd/state/codec"

// maxNativeIndex is far beyond the index of any stored number.
const maxNativeIndex = 1 << 14

// codeNative visits the native part of a histogram, which takes three fields.
func codeNative(c *codec.Coder, h *NativeHistogram) {
	codec.Uint(c, 21, &h.Zeros)
	distances := h.distances()
	codec.Uints(c, 22, &distances)
	codec.Uints(c, 23, &h.Counts)
	if c.Reading() && !h.setDistances(distances) {
		c.Fail()
	}
}

// distances returns the distance of each index from the one before in zigzag encoding,
// the first from 0.
func (h *NativeHistogram) distances() []uint32 {
	all := make([]uint32, len(h.Indexes))
	var before int32
	for i, index := range h.Indexes {
		d := index - before
		all[i], before = uint32(d<<1)^uint32(d>>31), index //nolint:gosec // the encoding
	}
	return all
}

// setDistances sets the indexes. It returns false if they are not valid, or do not
// belong to the counts.
func (h *NativeHistogram) setDistances(all []uint32) bool {
	if len(all) != len(h.Counts) {
		return false
	}
	var index int64
	for i, z := range all {
		d := int64(z>>1) ^ -int64(z&1)
		index += d
		if index < -maxNativeIndex || index > maxNativeIndex || i > 0 && d <= 0 || h.Counts[i] == 0 {
			return false
		}
		h.Indexes = append(h.Indexes, int32(index))
	}
	return true
}
