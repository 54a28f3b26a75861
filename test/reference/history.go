package reference

import (
	"maps"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// HistorySamples returns by how much the counters of a history grew before a time,
// which is the beginning of an interval, as an exposition without buckets shows it.
func HistorySamples(h *counters.History, before time.Time) (all exposition.Samples) {
	for _, f := range h.Families {
		for i := range f.Series {
			all = append(all, growth(f.Family, &f.Series[i], before.UnixMilli())...)
		}
	}
	return all
}

// growth returns by how much a series grew before a time in milliseconds since the
// epoch.
func growth(f *counters.Family, s *counters.SeriesHistory, before int64) exposition.Samples {
	labels := make(model.Metric)
	for i, name := range f.Labels {
		if s.Labels[i] != "" {
			labels[model.LabelName(name)] = model.LabelValue(s.Labels[i])
		}
	}
	var value, sum uint64
	for _, in := range s.Increases() {
		if in.Start < before {
			value, sum = value+in.Value, sum+in.Sum
		}
	}
	sample := func(suffix string, kind dto.MetricType, value float64) exposition.Sample {
		m := maps.Clone(labels)
		m[model.MetricNameLabel] = model.LabelValue(f.Name + suffix)
		return exposition.Sample{Family: f.Name, Type: kind, Labels: m, Value: value}
	}
	if f.Type == counters.Histogram {
		return exposition.Samples{
			sample("_count", dto.MetricType_HISTOGRAM, float64(value)), sample("_sum", dto.MetricType_HISTOGRAM, f.InUnit(sum)),
		}
	}
	kind := dto.MetricType_COUNTER
	if f.Type.IsGauge() {
		kind = dto.MetricType_GAUGE
	}
	return exposition.Samples{sample("", kind, f.InUnit(value))}
}
