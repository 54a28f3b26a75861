package push

import (
	"math"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields that are written, as the messages of the protocols
// have them.
const (
	v1Series                  = 1 // in a prometheus.WriteRequest
	v1Label, v1Sample         = 1, 2
	v1LabelName, v1LabelValue = 1, 2
	sampleValue, sampleTime   = 1, 2 // in both protocols

	v2Symbols, v2Series                      = 4, 5 // in an io.prometheus.write.v2.Request
	v2Labels, v2Sample, v2Metadata, v2Origin = 1, 2, 5, 6
	v2SampleStart                            = 3
	v2MetadataType, v2MetadataHelp           = 1, 3
)

// A message is a request, encoded.
type message []byte

// SizeVT returns the length of the message.
func (m message) SizeVT() int { return len(m) }

// MarshalToSizedBufferVT writes the message.
func (m message) MarshalToSizedBufferVT(to []byte) (int, error) { return copy(to, m), nil }

// encode appends a request of some series, with the same timestamp for all.
func encode(to message, p remote.WriteMessageType, some []*series, at int64) message {
	if p == remote.WriteV2MessageType {
		return encodeV2(to, some, at)
	}
	return encodeV1(to, some, at)
}

// encodeV1 appends a prometheus.WriteRequest.
func encodeV1(to message, some []*series, at int64) message {
	for _, s := range some {
		to = nested(to, v1Series, func(to message) message {
			for name, value := range s.labels.all() {
				to = nested(to, v1Label, func(to message) message {
					to = appendText(to, v1LabelName, name)
					return appendText(to, v1LabelValue, value)
				})
			}
			return nested(to, v1Sample, func(to message) message { return appendSample(to, s.value, at) })
		})
	}
	return to
}

// encodeV2 appends an io.prometheus.write.v2.Request.
func encodeV2(to message, some []*series, at int64) message {
	symbols := writev2.NewSymbolTable()
	for _, s := range some {
		to = nested(to, v2Series, func(to message) message { return appendSeriesV2(to, s, at, &symbols) })
	}
	for _, text := range symbols.Symbols() {
		to = appendText(to, v2Symbols, text)
	}
	return to
}

// appendSeriesV2 appends a series. When it began is said twice, since the
// protocol has moved that from a series to its samples, and servers know one
// place or the other.
func appendSeriesV2(to message, s *series, at int64, symbols *writev2.SymbolsTable) message {
	to = nested(to, v2Labels, func(to message) message {
		for name, value := range s.labels.all() {
			to = protowire.AppendVarint(to, uint64(symbols.Symbolize(name)))
			to = protowire.AppendVarint(to, uint64(symbols.Symbolize(value)))
		}
		return to
	})
	start := s.created
	if s.gone() {
		start = 0
	}
	to = nested(to, v2Sample, func(to message) message {
		return appendNumber(appendSample(to, s.value, at), v2SampleStart, start)
	})
	to = nested(to, v2Metadata, func(to message) message {
		to = appendNumber(to, v2MetadataType, int64(kindV2(s.kind)))
		return appendNumber(to, v2MetadataHelp, int64(symbols.Symbolize(s.help)))
	})
	return appendNumber(to, v2Origin, start)
}

func kindV2(k dto.MetricType) writev2.Metadata_MetricType {
	switch k {
	case dto.MetricType_COUNTER:
		return writev2.Metadata_METRIC_TYPE_COUNTER
	case dto.MetricType_GAUGE:
		return writev2.Metadata_METRIC_TYPE_GAUGE
	case dto.MetricType_SUMMARY:
		return writev2.Metadata_METRIC_TYPE_SUMMARY
	case dto.MetricType_HISTOGRAM:
		return writev2.Metadata_METRIC_TYPE_HISTOGRAM
	default:
		return writev2.Metadata_METRIC_TYPE_UNSPECIFIED
	}
}

func appendSample(to message, value float64, at int64) message {
	to = protowire.AppendTag(to, sampleValue, protowire.Fixed64Type)
	to = protowire.AppendFixed64(to, math.Float64bits(value))
	return appendNumber(to, sampleTime, at)
}

// appendNumber appends a number, unless it is what is meant without it.
func appendNumber(to message, field protowire.Number, v int64) message {
	if v == 0 {
		return to
	}
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), uint64(v)) //nolint:gosec // two's complement is how the protocol has it
}

func appendText(to message, field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), s)
}

// nested appends a message within another, with its length in front.
func nested(to message, field protowire.Number, content func(message) message) message {
	to = protowire.AppendTag(to, field, protowire.BytesType)
	start := len(to)
	to = content(to)
	stop := len(to)
	size := uint64(stop - start) //nolint:gosec // content only appends
	to = protowire.AppendVarint(to, size)
	copy(to[start+len(to)-stop:], to[start:stop])
	protowire.AppendVarint(to[start:start], size)
	return to
}
