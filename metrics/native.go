package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
)

// zeroThreshold is the largest observation in the zero bucket, as in client_golang.
const zeroThreshold = 0x1p-128

// writeNative adds native buckets to a classic histogram. Only the protobuf format
// exposes them. The client library writes them into a native histogram, from where they
// are copied.
//
// Classic and native buckets share one count. The native buckets are omitted if they do
// not add up to it: counts are saturated, or an older version observed without them.
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
	var written dto.Metric
	if err != nil || metric.Write(&written) != nil {
		return
	}
	native := written.Histogram
	h.Schema, h.ZeroThreshold, h.ZeroCount = native.Schema, native.ZeroThreshold, native.ZeroCount
	h.PositiveSpan, h.PositiveDelta = native.PositiveSpan, native.PositiveDelta
}
