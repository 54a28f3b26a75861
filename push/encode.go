package push

import (
	"math"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of the messages. The client library has no message for protocol 1, and
// its message for protocol 2 lacks the start timestamp of samples.
const (
	v1Series                  = 1 // in a prometheus.WriteRequest
	v1Label, v1Sample         = 1, 2
	v1LabelName, v1LabelValue = 1, 2
	sampleValue, sampleTime   = 1, 2 // in both protocols

	v2Symbols, v2Series                       = 4, 5 // in an io.prometheus.write.v2.Request
	v2Labels, v2Sample, v2Metadata, v2Created = 1, 2, 5, 6
	v2SampleStart                             = 3
	v2MetadataType, v2MetadataHelp            = 1, 3
)

// A message is an encoded request. It implements the interface of the client library.
type message []byte

// SizeVT returns the size of the message.
func (m message) SizeVT() int { return len(m) }

// MarshalToSizedBufferVT copies the message.
func (m message) MarshalToSizedBufferVT(to []byte) (int, error) { return copy(to, m), nil }

// encode appends a request with the samples of each series.
func encode(to message, p remote.WriteMessageType, all []*series) message {
	if p == remote.WriteV2MessageType {
		return encodeV2(to, all)
	}
	return encodeV1(to, all)
}

// encodeV1 appends a prometheus.WriteRequest.
func encodeV1(to message, all []*series) message {
	for _, s := range all {
		to = appendMessage(to, v1Series, func(to message) message {
			for name, value := range s.labels.all() {
				to = appendMessage(to, v1Label, func(to message) message {
					to = appendString(to, v1LabelName, name)
					return appendString(to, v1LabelValue, value)
				})
			}
			for _, sample := range s.samples {
				to = appendMessage(to, v1Sample, func(to message) message { return appendSample(to, sample) })
			}
			return to
		})
	}
	return to
}

// encodeV2 appends an io.prometheus.write.v2.Request.
func encodeV2(to message, all []*series) message {
	symbols := writev2.NewSymbolTable()
	for _, s := range all {
		to = appendMessage(to, v2Series, func(to message) message { return appendSeriesV2(to, s, &symbols) })
	}
	for _, text := range symbols.Symbols() {
		to = appendString(to, v2Symbols, text)
	}
	return to
}

// appendSeriesV2 appends a series. It writes the start timestamp twice: the protocol
// has moved it from the series to its samples, and each server knows only one place.
func appendSeriesV2(to message, s *series, symbols *writev2.SymbolsTable) message {
	to = appendMessage(to, v2Labels, func(to message) message {
		for name, value := range s.labels.all() {
			to = protowire.AppendVarint(to, uint64(symbols.Symbolize(name)))
			to = protowire.AppendVarint(to, uint64(symbols.Symbolize(value)))
		}
		return to
	})
	start := s.start()
	for _, sample := range s.samples {
		to = appendMessage(to, v2Sample, func(to message) message {
			return appendVarint(appendSample(to, sample), v2SampleStart, start)
		})
	}
	to = appendMessage(to, v2Metadata, func(to message) message {
		to = appendVarint(to, v2MetadataType, int64(typeV2(s.kind)))
		return appendVarint(to, v2MetadataHelp, int64(symbols.Symbolize(s.help)))
	})
	return appendVarint(to, v2Created, start)
}

func typeV2(k dto.MetricType) writev2.Metadata_MetricType {
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

func appendSample(to message, s sample) message {
	to = protowire.AppendTag(to, sampleValue, protowire.Fixed64Type)
	to = protowire.AppendFixed64(to, math.Float64bits(s.value))
	return appendVarint(to, sampleTime, s.at)
}

// appendVarint appends a number unless it is 0, the default.
func appendVarint(to message, field protowire.Number, v int64) message {
	if v == 0 {
		return to
	}
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), uint64(v))
}

func appendString(to message, field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), s)
}

// appendMessage appends a nested message, preceded by its size.
func appendMessage(to message, field protowire.Number, content func(message) message) message {
	to = protowire.AppendTag(to, field, protowire.BytesType)
	start := len(to)
	to = content(to)
	stop := len(to)
	size := uint64(stop - start)
	to = protowire.AppendVarint(to, size)
	copy(to[start+len(to)-stop:], to[start:stop])
	protowire.AppendVarint(to[start:start], size)
	return to
}
