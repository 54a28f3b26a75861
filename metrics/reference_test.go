package metrics

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A constCollector exposes snapshots by means of the client library: it creates new
// constant metrics for every scrape and leaves order and format to the registry. An
// Exposition must expose the same.
type constCollector struct {
	provider    Provider
	maxSessions int
	otelNames   bool
}

func (*constCollector) Describe(chan<- *prometheus.Desc) {}

func (c *constCollector) Collect(to chan<- prometheus.Metric) {
	var snapshot ledger.Snapshot
	if !c.provider.SnapshotInto(&snapshot) {
		return
	}
	families := slices.Concat(snapshot.Families, liveGauges(&snapshot, c.maxSessions, nil, nil))
	if c.otelNames {
		families = append(families, naiveOTel(snapshot.Families)...)
	}
	names := sourceNames(families)
	for _, f := range families {
		for i := range f.Samples {
			to <- newConstMetric(f.Family, &f.Samples[i], names)
		}
	}
}

// sourceNames returns the label names of all sources.
func sourceNames(families []ledger.FamilySamples) []string {
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

func newConstMetric(f *ledger.Family, s *ledger.Sample, sourceNames []string) prometheus.Metric {
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
func constMetric(desc *prometheus.Desc, f *ledger.Family, s *ledger.Sample, labels []string) (prometheus.Metric, error) {
	created := time.UnixMilli(s.Created)
	switch f.Type {
	case ledger.Histogram:
		buckets := cumulative(f.Buckets, s.Counts)
		classic, err := prometheus.NewConstHistogramWithCreatedTimestamp(desc, s.Value, f.InUnit(s.Sum), buckets, created, labels...)
		return bothHistograms{classic, s, f}, err
	case ledger.Gauge:
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

// naiveOTel returns the families of Claude Code's telemetry: for each, all series of a
// counter of the ledger are sorted, the first exposed one first, and added up.
func naiveOTel(families []ledger.FamilySamples) (all []ledger.FamilySamples) {
	for _, f := range families {
		var to *ledger.Family
		var translate func(labels map[string]string) []string
		switch f.Family.Name {
		case "claude_tokens_total":
			to = &ledger.Family{Name: "claude_code_token_usage_tokens_total", Labels: []string{"type", "model", "query_source"}}
			types := map[string]string{"cache_read": "cacheRead", "cache_write_5m": "cacheCreation", "cache_write_1h": "cacheCreation"}
			translate = func(l map[string]string) []string {
				return []string{cmp.Or(types[l["type"]], l["type"]), l["model"], naiveSource(l["agent"])}
			}
		case "claude_cost_usd_total":
			to = &ledger.Family{Name: "claude_code_cost_usage_USD_total", Labels: []string{"model", "query_source"}}
			translate = func(l map[string]string) []string { return []string{l["model"], naiveSource(l["agent"])} }
		case "claude_sessions_total":
			to = &ledger.Family{Name: "claude_code_session_count_total"}
			translate = func(map[string]string) []string { return nil }
		case "claude_lines_changed_total":
			to = &ledger.Family{Name: "claude_code_lines_of_code_count_total", Labels: []string{"type"}}
			translate = func(l map[string]string) []string { return []string{l["change"]} }
		default:
			continue
		}
		to.Help, to.PerUnit, to.Sourced = helpOf(to.Name), f.Family.PerUnit, true
		all = append(all, ledger.FamilySamples{Family: to, Samples: naiveSums(f, translate)})
	}
	return all
}

func naiveSource(agent string) string {
	if agent == "main" || agent == "subagent" {
		return agent
	}
	return "auxiliary"
}

// helpOf returns the help text of a family, which is no result of a computation.
func helpOf(name string) string {
	all := otelFamilies()
	return all[slices.IndexFunc(all, func(f otelFamily) bool { return f.Name == name })].Help
}

func naiveSums(f ledger.FamilySamples, translate func(map[string]string) []string) (sums []ledger.Sample) {
	samples := slices.Clone(f.Samples)
	slices.SortFunc(samples, func(a, b ledger.Sample) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Created, b.Created))
	})
	for _, s := range samples {
		labels := make(map[string]string)
		for i, name := range f.Family.Labels {
			labels[name] = s.Labels[i]
		}
		translated := translate(labels)
		i := slices.IndexFunc(sums, func(sum ledger.Sample) bool {
			return sum.Source == s.Source && slices.Equal(sum.Labels, translated)
		})
		if i < 0 {
			sums = append(sums, ledger.Sample{Labels: translated, Source: s.Source, Value: s.Value, Created: s.Created})
			continue
		}
		exact := new(big.Int).Add(new(big.Int).SetUint64(sums[i].Value), new(big.Int).SetUint64(s.Value))
		if sums[i].Value = exact.Uint64(); !exact.IsUint64() {
			sums[i].Value = math.MaxUint64
		}
	}
	return sums
}
