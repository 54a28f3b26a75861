package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Source gives one consistent moment of what was counted, or false while
// there is nothing that may be shown yet.
type Source interface {
	Snapshot() (ledger.Snapshot, bool)
}

// DefaultMaxSessions is the number of live sessions whose context is shown
// unless a Collector is told otherwise.
const DefaultMaxSessions = 200

// A Collector shows what a Source has counted.
type Collector struct {
	Source Source
	// MaxSessions is asked in every scrape how many live sessions are shown with
	// the size of their context, the newest first. Nil stands for
	// DefaultMaxSessions.
	MaxSessions func() int
}

// Describe describes nothing: which labels the families have depends on the
// sources that were read.
func (*Collector) Describe(chan<- *prometheus.Desc) {}

// Collect shows one snapshot of the source.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	snapshot, ok := c.Source.Snapshot()
	if !ok {
		return
	}
	e := emitter{to: to, sources: newSourceLabels(&snapshot)}
	for _, f := range snapshot.Families {
		e.family(f.Family, f.Samples)
	}
	for _, f := range momentary(&snapshot, c.maxSessions()) {
		e.family(f.Family, f.Samples)
	}
}

func (c *Collector) maxSessions() int {
	if c.MaxSessions == nil {
		return DefaultMaxSessions
	}
	return c.MaxSessions()
}

// An emitter makes metrics of the samples of one snapshot.
type emitter struct {
	to      chan<- prometheus.Metric
	sources sourceLabels
	values  []string // of one sample's labels, used again for the next
}

func (e *emitter) family(f *ledger.Family, samples []ledger.Sample) {
	names := f.Labels
	if f.Sourced {
		names = slices.Concat(names, e.sources.names)
	}
	desc := prometheus.NewDesc(f.Name, f.Help, names, nil)
	for i := range samples {
		s := &samples[i]
		e.values = append(e.values[:0], s.Labels...)
		if f.Sourced {
			e.values = append(e.values, e.sources.values[s.Source]...)
		}
		metric, err := constMetric(desc, f, s, e.values)
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
