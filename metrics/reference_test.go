package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A constCollector exposes snapshots by means of the client library: it creates new
// constant metrics for every scrape and leaves order and format to the registry. Its
// output is what an Exposition must match.
type constCollector struct {
	provider    Provider
	maxSessions int
}

func (*constCollector) Describe(chan<- *prometheus.Desc) {}

func (c *constCollector) Collect(to chan<- prometheus.Metric) {
	var snapshot ledger.Snapshot
	if !c.provider.SnapshotInto(&snapshot) {
		return
	}
	families := slices.Concat(snapshot.Families, liveGauges(&snapshot, c.maxSessions, nil, nil))
	names := sourceNames(families)
	for _, f := range families {
		for i := range f.Samples {
			to <- newConstMetric(f.Family, &f.Samples[i], names)
		}
	}
}

// sourceNames returns the label names of all sources.
func sourceNames(families []counters.FamilySamples) []string {
	names := make(map[string]bool)
	for _, f := range families {
		for i := range f.Samples {
			for name := range f.Samples[i].Source.Labels() {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func newConstMetric(f *counters.Family, s *counters.Sample, sourceNames []string) prometheus.Metric {
	names, values := f.Labels, slices.Clone(s.Labels)
	if f.Sourced {
		names = slices.Concat(names, sourceNames)
		labels := s.Source.Labels()
		for _, name := range sourceNames {
			values = append(values, labels[name])
		}
	}
	desc := prometheus.NewDesc(f.Name, f.Help, names, nil)
	metric, err := constMetric(desc, f, s, values)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return metric
}

// constMetric returns the metric of a sample. Gauges have no created timestamp.
func constMetric(desc *prometheus.Desc, f *counters.Family, s *counters.Sample, labels []string) (prometheus.Metric, error) {
	created := time.UnixMilli(s.Created)
	switch f.Type {
	case counters.Histogram:
		buckets := cumulative(f.Buckets, s.Counts)
		classic, err := prometheus.NewConstHistogramWithCreatedTimestamp(desc, s.Value, f.InUnit(s.Sum), buckets, created, labels...)
		return bothHistograms{classic, s}, err
	case counters.Gauge, counters.Level:
		return prometheus.NewConstMetric(desc, prometheus.GaugeValue, f.InUnit(s.Value), labels...)
	default:
		return prometheus.NewConstMetricWithCreatedTimestamp(desc, prometheus.CounterValue, f.InUnit(s.Value), created, labels...)
	}
}

// cumulative converts the counts of buckets to counts up to each bound.
func cumulative(bounds []float64, counts []uint64) map[float64]uint64 {
	buckets := make(map[float64]uint64, len(bounds))
	var sum uint64
	for i, bound := range bounds {
		sum += counts[i]
		buckets[bound] = sum
	}
	return buckets
}
