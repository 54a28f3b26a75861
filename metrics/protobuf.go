package metrics

import (
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// The numbers of the fields that are written, as the client model's messages
// have them.
const (
	familyName, familyHelp, familyType, familyMetric                = 1, 2, 3, 4
	metricLabel, metricGauge, metricCounter, metricHistogram        = 1, 2, 3, 7
	labelName, labelValue                                           = 1, 2
	gaugeValue                                                      = 1
	counterValue, counterCreated                                    = 1, 3
	histogramCount, histogramSum, histogramBucket, histogramCreated = 1, 2, 3, 15
	bucketCount, bucketBound                                        = 1, 2
	timestampSeconds, timestampNanos                                = 1, 2
)

// appendProtobuf appends a family as a message of the client model, with its
// length in front.
func appendProtobuf(to []byte, f *family) []byte {
	f.protobuf.fill(f, appendProtobufLabels)
	start := len(to)
	to = appendString(to, familyName, f.Family.Name)
	to = appendString(to, familyHelp, f.Family.Help)
	to = appendUint(to, familyType, protobufType(f.Family.Type))
	for _, i := range f.order {
		to = appendMetric(to, f.Family, f.sample(i), f.protobuf.of(i))
	}
	return end(to, start)
}

func protobufType(t ledger.Type) uint64 {
	switch t {
	case ledger.Gauge:
		return uint64(dto.MetricType_GAUGE)
	case ledger.Histogram:
		return uint64(dto.MetricType_HISTOGRAM)
	default:
		return uint64(dto.MetricType_COUNTER)
	}
}

func appendMetric(to []byte, f *ledger.Family, s *ledger.Sample, labels []byte) []byte {
	to, metric := begin(to, familyMetric)
	to = append(to, labels...)
	var value int
	switch f.Type {
	case ledger.Gauge:
		to, value = begin(to, metricGauge)
		to = appendFloat(to, gaugeValue, inUnit(s.Value, f.Scale))
	case ledger.Histogram:
		to, value = begin(to, metricHistogram)
		to = appendHistogram(to, f, s)
	default:
		to, value = begin(to, metricCounter)
		to = appendFloat(to, counterValue, inUnit(s.Value, f.Scale))
		to = appendTime(to, counterCreated, s.Created)
	}
	return end(end(to, value), metric)
}

func appendHistogram(to []byte, f *ledger.Family, s *ledger.Sample) []byte {
	to = appendUint(to, histogramCount, s.Value)
	to = appendFloat(to, histogramSum, inUnit(s.Sum, f.Scale))
	var below uint64
	for i, bound := range f.Buckets {
		below += s.Counts[i]
		var bucket int
		to, bucket = begin(to, histogramBucket)
		to = appendUint(to, bucketCount, below)
		to = appendFloat(to, bucketBound, bound)
		to = end(to, bucket)
	}
	return appendTime(to, histogramCreated, s.Created)
}

// appendProtobufLabels appends the labels of a sample.
func appendProtobufLabels(to []byte, f *family, i int) []byte {
	for _, l := range f.labels {
		var pair int
		to, pair = begin(to, metricLabel)
		to = appendString(to, labelName, l.name)
		to = appendString(to, labelValue, f.value(i, l))
		to = end(to, pair)
	}
	return to
}

// appendTime appends a time, given in milliseconds since the epoch.
func appendTime(to []byte, field protowire.Number, millis int64) []byte {
	at := time.UnixMilli(millis)
	to, start := begin(to, field)
	to = appendUint(to, timestampSeconds, uint64(at.Unix()))     //nolint:gosec // before the epoch it is a two's complement
	to = appendUint(to, timestampNanos, uint64(at.Nanosecond())) //nolint:gosec // never negative
	return end(to, start)
}

func appendString(to []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), s)
}

func appendUint(to []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), v)
}

func appendFloat(to []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(to, field, protowire.Fixed64Type), math.Float64bits(v))
}

// begin begins a message within another, and returns where it starts.
func begin(to []byte, field protowire.Number) ([]byte, int) {
	to = protowire.AppendTag(to, field, protowire.BytesType)
	return to, len(to)
}

// end puts the length of the message that starts at start in front of it.
func end(to []byte, start int) []byte {
	stop := len(to)
	size := uint64(stop - start) //nolint:gosec // a message starts before it ends
	to = protowire.AppendVarint(to, size)
	first := start + len(to) - stop
	copy(to[first:], to[start:stop])
	protowire.AppendVarint(to[start:start], size)
	return to
}
