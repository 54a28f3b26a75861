package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A family is a family of the ledger in the form that the client library encodes. A
// sample and its metric have the same index, which never changes.
type family struct {
	exposed dto.MetricFamily
	desc    *prometheus.Desc
	sources *sourceLabels // nil if the series have no source labels
	metrics []*dto.Metric // by index of the sample; nil if invalid
	bounds  []float64     // of the buckets of all metrics
	hidden  bool          // it is not exposed at present
	err     error         // why a series is not exposed
}

// Errors of series. Neither should happen, since labels are cleaned or checked where
// they enter. They do not contain labels, which may be private.
var (
	errInvalid   = errors.New("a series has an invalid label")
	errDuplicate = errors.New("two series have the same labels")
)

func newFamily(f *counters.Family, sources *sourceLabels) *family {
	created, names := &family{}, f.Labels
	if f.Sourced {
		created.sources = sources
		names = slices.Concat(names, sources.names)
	}
	created.desc = prometheus.NewDesc(f.Name, f.Help, names, nil)
	e := &created.exposed
	e.Name, e.Help, e.Type = new(f.Name), new(f.Help), metricType(f.Type).Enum()
	return created
}

func metricType(t counters.Type) dto.MetricType {
	switch t {
	case counters.Gauge, counters.Level:
		return dto.MetricType_GAUGE
	case counters.Histogram:
		return dto.MetricType_HISTOGRAM
	default:
		return dto.MetricType_COUNTER
	}
}

func (f *family) reset() {
	clear(f.exposed.Metric)
	f.exposed.Metric, f.metrics, f.err = f.exposed.Metric[:0], f.metrics[:0], nil
}

// update adds metrics for new samples and writes the numbers of all samples.
func (f *family) update(s *counters.FamilySamples) {
	if !slices.Equal(f.bounds, s.Family.Buckets) {
		f.bounds = slices.Clone(s.Family.Buckets)
		f.reset()
	}
	if len(f.metrics) < len(s.Samples) {
		f.add(s)
	}
	for i, m := range f.metrics {
		if m != nil {
			write(m, s.Family, &s.Samples[i])
		}
	}
}

// add adds metrics for new samples.
func (f *family) add(s *counters.FamilySamples) {
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
	f.exposed.Metric = slices.CompactFunc(f.exposed.Metric, func(a, b *dto.Metric) bool {
		return compareLabels(a, b) == 0
	})
	if len(f.exposed.Metric) < n {
		f.err = fmt.Errorf("expose %s: %w", s.Family.Name, errDuplicate)
	}
}

// compareLabels orders metrics as the client library does.
func compareLabels(a, b *dto.Metric) int {
	return slices.CompareFunc(a.Label, b.Label, func(a, b *dto.LabelPair) int {
		return cmp.Compare(a.GetValue(), b.GetValue())
	})
}

// metric returns a metric with the constant parts of a sample: its labels and created
// timestamp.
func (f *family) metric(t counters.Type, s *counters.Sample) (*dto.Metric, error) {
	labels := s.Labels
	if f.sources != nil {
		labels = slices.Concat(labels, f.sources.values(s.Source))
	}
	var metric prometheus.Metric
	var err error
	switch created := time.UnixMilli(s.Created); t {
	case counters.Gauge, counters.Level:
		metric, err = prometheus.NewConstMetric(f.desc, prometheus.GaugeValue, 0, labels...)
	case counters.Histogram:
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
func write(m *dto.Metric, f *counters.Family, s *counters.Sample) {
	switch {
	case m.Gauge != nil:
		*m.Gauge.Value = f.InUnit(s.Value)
	case m.Histogram != nil:
		writeHistogram(m.Histogram, f, s)
	default:
		*m.Counter.Value = f.InUnit(s.Value)
	}
}

// writeHistogram writes the numbers of a histogram, unless it is unchanged: every
// observation changes its count.
func writeHistogram(h *dto.Histogram, f *counters.Family, s *counters.Sample) {
	if h.Schema != nil && *h.SampleCount == s.Value {
		return
	}
	*h.SampleCount, *h.SampleSum = s.Value, f.InUnit(s.Sum)
	var below uint64
	for i, b := range h.Bucket {
		below += s.Counts[i]
		*b.CumulativeCount = below
	}
	writeNative(h, s)
}
