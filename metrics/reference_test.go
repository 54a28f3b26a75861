package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A constCollector shows snapshots in the way of the client library: it makes
// constant metrics of everything anew, and leaves order and format to the
// registry. An Exposition must show the same.
type constCollector struct {
	source      Provider
	maxSessions int
}

func (*constCollector) Describe(chan<- *prometheus.Desc) {}

func (c *constCollector) Collect(to chan<- prometheus.Metric) {
	var snapshot ledger.Snapshot
	if !c.source.SnapshotInto(&snapshot) {
		return
	}
	names, values := namesAndValues(&snapshot)
	e := emitter{to, names, values}
	for _, f := range snapshot.Families {
		e.family(f.Family, f.Samples)
	}
	for _, f := range liveGauges(&snapshot, c.maxSessions) {
		e.family(f.Family, f.Samples)
	}
}

// An emitter makes metrics of the samples of one snapshot.
type emitter struct {
	to     chan<- prometheus.Metric
	names  []string // of the sources' labels
	values map[ledger.SourceLabels][]string
}

func (e *emitter) family(f *ledger.Family, samples []ledger.Sample) {
	names := f.Labels
	if f.Sourced {
		names = slices.Concat(names, e.names)
	}
	desc := prometheus.NewDesc(f.Name, f.Help, names, nil)
	for i := range samples {
		s := &samples[i]
		values := slices.Clone(s.Labels)
		if f.Sourced {
			values = append(values, e.values[s.Source]...)
		}
		metric, err := constMetric(desc, f, s, values)
		if err != nil {
			metric = prometheus.NewInvalidMetric(desc, err)
		}
		e.to <- metric
	}
}

// constMetric makes a metric of one sample. Gauges have no created timestamp.
func constMetric(desc *prometheus.Desc, f *ledger.Family, s *ledger.Sample, labels []string) (prometheus.Metric, error) {
	created := time.UnixMilli(s.Created)
	switch f.Type {
	case ledger.Histogram:
		return prometheus.NewConstHistogramWithCreatedTimestamp(desc, s.Value, inUnit(s.Sum, f.Scale), cumulative(f.Buckets, s.Counts), created, labels...)
	case ledger.Gauge:
		return prometheus.NewConstMetric(desc, prometheus.GaugeValue, inUnit(s.Value, f.Scale), labels...)
	default:
		return prometheus.NewConstMetricWithCreatedTimestamp(desc, prometheus.CounterValue, inUnit(s.Value, f.Scale), created, labels...)
	}
}

// cumulative turns counts a bucket, the last one above all bounds, into counts
// up to each bound.
func cumulative(bounds []float64, counts []uint64) map[float64]uint64 {
	buckets := make(map[float64]uint64, len(bounds))
	var sum uint64
	for i, bound := range bounds[:min(len(bounds), len(counts))] {
		sum += counts[i]
		buckets[bound] = sum
	}
	return buckets
}

// namesAndValues gathers the labels of every source in a snapshot.
func namesAndValues(s *ledger.Snapshot) ([]string, map[ledger.SourceLabels][]string) {
	sources := make(map[ledger.SourceLabels]map[string]string)
	see := func(source ledger.SourceLabels) {
		if _, ok := sources[source]; !ok {
			sources[source] = source.Labels()
		}
	}
	for _, f := range s.Families {
		for i := range f.Samples {
			see(f.Samples[i].Source)
		}
	}
	for i := range s.Live {
		see(s.Live[i].Source)
	}

	names := make(map[string]struct{})
	for _, labels := range sources {
		for name := range labels {
			names[name] = struct{}{}
		}
	}
	sorted, all := slices.Sorted(maps.Keys(names)), make(map[ledger.SourceLabels][]string, len(sources))
	for source, labels := range sources {
		values := make([]string, len(sorted))
		for i, name := range sorted {
			values[i] = labels[name]
		}
		all[source] = values
	}
	return sorted, all
}
