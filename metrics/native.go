package metrics

import (
	"math"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
)

const (
	// zeroThreshold is client_golang's: up to it, observations are in the zero bucket.
	zeroThreshold float64 = 0x1p-128

	// maxGap is the number of empty buckets that are encoded instead of a new span.
	maxGap = 2
)

// addNative adds an empty native part to a histogram. Only the protobuf format has it.
func addNative(h *dto.Histogram) {
	h.Schema, h.ZeroThreshold, h.ZeroCount = new(int32(ledger.NativeSchema)), new(zeroThreshold), new(uint64)
}

// removeNative removes the native part.
func removeNative(h *dto.Histogram) {
	h.Schema, h.ZeroThreshold, h.ZeroCount = nil, nil, nil
	h.PositiveSpan, h.PositiveDelta = nil, nil
}

// writeNative writes the native part of a sample. Both parts of a histogram have one
// count: if the native part does not have it, since counts are saturated or an older
// version made some of the observations, there is none.
func writeNative(h *dto.Histogram, s *ledger.Sample) {
	if count, ok := s.Native.Count(); !ok || count != s.Value || count > math.MaxInt64 {
		removeNative(h)
		return
	}
	if h.Schema == nil {
		addNative(h)
	}
	*h.ZeroCount = s.Native.Zeros
	h.PositiveSpan, h.PositiveDelta = h.PositiveSpan[:0], h.PositiveDelta[:0]
	var next int32 // the index after the last bucket
	var before uint64
	for i, index := range s.Native.Indexes {
		if gap := index - next; i == 0 || gap > maxGap {
			h.PositiveSpan = append(h.PositiveSpan, &dto.BucketSpan{Offset: new(gap), Length: new(uint32)})
		} else {
			for range gap {
				before = appendBucket(h, 0, before)
			}
		}
		before = appendBucket(h, s.Native.Counts[i], before)
		next = index + 1
	}
}

// appendBucket appends a bucket to the last span, and returns its count.
func appendBucket(h *dto.Histogram, count, before uint64) uint64 {
	*h.PositiveSpan[len(h.PositiveSpan)-1].Length++
	h.PositiveDelta = append(h.PositiveDelta, int64(count)-int64(before)) //nolint:gosec // up to MaxInt64
	return count
}
