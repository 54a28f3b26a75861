package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A family is one as the client library encodes it. A sample stays in its place in
// the snapshot, so its metric is found there again.
type family struct {
	exposed dto.MetricFamily
	desc    *prometheus.Desc
	sources *sourceLabels // nil if series have no labels of their source
	metrics []*dto.Metric // by place of the sample; nil where there can be none
	bounds  []float64     // of the buckets of all metrics
	err     error         // why some series is not exposed
}

// What can be wrong with series. Labels are cleaned or checked where they come from,
// so that neither should happen. The errors do not repeat labels, which may be private.
var (
	errInvalid   = errors.New("a series has an invalid label")
	errDuplicate = errors.New("two series have the same labels")
)

func newFamily(f *ledger.Family, sources *sourceLabels) *family {
	made, names := &family{}, f.Labels
	if f.Sourced {
		made.sources = sources
		names = slices.Concat(names, sources.names)
	}
	made.desc = prometheus.NewDesc(f.Name, f.Help, names, nil)
	made.exposed.Name, made.exposed.Help, made.exposed.Type = new(f.Name), new(f.Help), metricType(f.Type).Enum()
	return made
}

func metricType(t ledger.Type) dto.MetricType {
	switch t {
	case ledger.Gauge:
		return dto.MetricType_GAUGE
	case ledger.Histogram:
		return dto.MetricType_HISTOGRAM
	default:
		return dto.MetricType_COUNTER
	}
}

// reset forgets all series.
func (f *family) reset() {
	clear(f.exposed.Metric)
	f.exposed.Metric, f.metrics, f.err = f.exposed.Metric[:0], f.metrics[:0], nil
}

// update writes the numbers of samples, after it has added those that are new.
func (f *family) update(s *ledger.FamilySamples) {
	if !slices.Equal(f.bounds, s.Family.Buckets) {
		f.bounds = slices.Clone(s.Family.Buckets)
		f.reset()
	}
	if len(f.metrics) < len(s.Samples) {
		f.add(s)
	}
	for i, m := range f.metrics {
		if m != nil {
			write(m, s.Family.Scale, &s.Samples[i])
		}
	}
}

// add adds the samples that are new.
func (f *family) add(s *ledger.FamilySamples) {
	for i := len(f.metrics); i < len(s.Samples); i++ {
		m, err := f.metric(s.Family.Type, &s.Samples[i])
		if f.metrics = append(f.metrics, m); err != nil {
			f.err = fmt.Errorf("expose %s: %w", s.Family.Name, errInvalid)
			continue
		}
		f.exposed.Metric = append(f.exposed.Metric, m)
	}
	slices.SortStableFunc(f.exposed.Metric, compareLabels)
	n := len(f.exposed.Metric)
	f.exposed.Metric = slices.CompactFunc(f.exposed.Metric, func(a, b *dto.Metric) bool { return compareLabels(a, b) == 0 })
	if len(f.exposed.Metric) < n {
		f.err = fmt.Errorf("expose %s: %w", s.Family.Name, errDuplicate)
	}
}

// compareLabels orders metrics as the client library does.
func compareLabels(a, b *dto.Metric) int {
	return slices.CompareFunc(a.Label, b.Label, func(a, b *dto.LabelPair) int { return cmp.Compare(a.GetValue(), b.GetValue()) })
}

// metric makes one for a sample, with what never changes: its labels, and when it was
// created.
func (f *family) metric(t ledger.Type, s *ledger.Sample) (*dto.Metric, error) {
	labels := s.Labels
	if f.sources != nil {
		labels = slices.Concat(labels, f.sources.values(s.Source))
	}
	var metric prometheus.Metric
	var err error
	switch created := time.UnixMilli(s.Created); t {
	case ledger.Gauge:
		metric, err = prometheus.NewConstMetric(f.desc, prometheus.GaugeValue, 0, labels...)
	case ledger.Histogram:
		buckets := make(map[float64]uint64, len(f.bounds))
		for _, bound := range f.bounds {
			buckets[bound] = 0
		}
		metric, err = prometheus.NewConstHistogramWithCreatedTimestamp(f.desc, 0, 0, buckets, created, labels...)
	default:
		metric, err = prometheus.NewConstMetricWithCreatedTimestamp(f.desc, prometheus.CounterValue, 0, created, labels...)
	}
	if err != nil {
		return nil, err
	}
	m := new(dto.Metric)
	return m, metric.Write(m)
}

// write writes the numbers of a sample into its metric.
func write(m *dto.Metric, scale float64, s *ledger.Sample) {
	switch {
	case m.Gauge != nil:
		*m.Gauge.Value = inUnit(s.Value, scale)
	case m.Histogram != nil:
		*m.Histogram.SampleCount, *m.Histogram.SampleSum = s.Value, inUnit(s.Sum, scale)
		var below uint64
		for i, b := range m.Histogram.Bucket {
			below += s.Counts[i]
			*b.CumulativeCount = below
		}
	default:
		*m.Counter.Value = inUnit(s.Value, scale)
	}
}

// inUnit turns a stored number into the unit of its family. A thousand is a
// float and a thousandth is not: 31869 ms are exactly the float that 31.869
// stands for only if they are divided.
func inUnit(v uint64, scale float64) float64 {
	switch {
	case scale == 0:
		return float64(v)
	case scale < 1:
		return float64(v) / math.Round(1/scale)
	default:
		return float64(v) * scale
	}
}
