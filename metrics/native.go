package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
)

// zeroThreshold is client_golang's: up to it, observations are in the zero bucket.
const zeroThreshold = 0x1p-128

// writeNative writes the native part of a sample: that of a native histogram of the
// client library, which has no classic buckets. Only the protobuf format has it.
//
// Both parts of a histogram have one count. If the native part lacks it, since counts
// are saturated or an older version made some of the observations, it is omitted.
func writeNative(h *dto.Histogram, s *counters.Sample) {
	h.Schema, h.ZeroThreshold, h.ZeroCount, h.PositiveSpan, h.PositiveDelta = nil, nil, nil, nil, nil
	if s.Value > math.MaxInt64 {
		return
	}
	buckets := make(map[int]int64, len(s.Native.Indexes))
	for i, index := range s.Native.Indexes {
		buckets[int(index)] = int64(s.Native.Counts[i])
	}
	metric, err := prometheus.NewConstNativeHistogram(prometheus.NewDesc("native", "", nil, nil),
		s.Value, 0, buckets, nil, s.Native.Zeros, counters.NativeSchema, zeroThreshold, time.Time{})
	var made dto.Metric
	if err != nil || metric.Write(&made) != nil {
		return
	}
	from := made.Histogram
	h.Schema, h.ZeroThreshold, h.ZeroCount = from.Schema, from.ZeroThreshold, from.ZeroCount
	h.PositiveSpan, h.PositiveDelta = from.PositiveSpan, from.PositiveDelta
}
