package push

import (
	"math"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A point is the gathered value of one series.
type point struct {
	value      float64
	created    int64 // milliseconds since the epoch, 0 if unknown
	cumulative bool  // a count or sum that starts at zero
}

// A flattener turns metrics into the series that a server stores, such as the
// buckets, sum and count of a histogram.
type flattener struct {
	external []label // of every series, unless it has a label of the same name
	add      func(labels []byte, of *dto.MetricFamily, p point)

	labels  []label // reused
	encoded []byte  // reused
}

// family adds all series of a family.
func (t *flattener) family(f *dto.MetricFamily) {
	for _, m := range f.GetMetric() {
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			t.addSeries(f, m, "", cumulative(m.GetCounter().GetValue(), m.GetCounter().GetCreatedTimestamp()))
		case dto.MetricType_GAUGE:
			t.addSeries(f, m, "", point{value: m.GetGauge().GetValue()})
		case dto.MetricType_SUMMARY:
			t.summary(f, m, m.GetSummary())
		case dto.MetricType_HISTOGRAM:
			t.histogram(f, m, m.GetHistogram())
		default:
			t.addSeries(f, m, "", point{value: m.GetUntyped().GetValue()})
		}
	}
}

func (t *flattener) summary(f *dto.MetricFamily, m *dto.Metric, s *dto.Summary) {
	for _, q := range s.GetQuantile() {
		t.addSeries(f, m, "", point{value: q.GetValue()}, label{model.QuantileLabel, formatFloat(q.GetQuantile())})
	}
	t.sumAndCount(f, m, s.GetSampleSum(), s.GetSampleCount(), s.GetCreatedTimestamp())
}

func (t *flattener) histogram(f *dto.MetricFamily, m *dto.Metric, h *dto.Histogram) {
	created := h.GetCreatedTimestamp()
	bucket := func(bound float64, n uint64) {
		t.addSeries(f, m, "_bucket", cumulative(float64(n), created), label{model.BucketLabel, formatFloat(bound)})
	}
	infinite := false
	for _, b := range h.GetBucket() {
		bucket(b.GetUpperBound(), b.GetCumulativeCount())
		infinite = infinite || math.IsInf(b.GetUpperBound(), 1)
	}
	if !infinite {
		bucket(math.Inf(1), h.GetSampleCount())
	}
	t.sumAndCount(f, m, h.GetSampleSum(), h.GetSampleCount(), created)
}

func (t *flattener) sumAndCount(f *dto.MetricFamily, m *dto.Metric, sum float64, count uint64, created *timestamppb.Timestamp) {
	t.addSeries(f, m, "_sum", cumulative(sum, created))
	t.addSeries(f, m, "_count", cumulative(float64(count), created))
}

func (t *flattener) addSeries(f *dto.MetricFamily, m *dto.Metric, suffix string, p point, more ...label) {
	t.labels = append(t.labels[:0], label{model.MetricNameLabel, f.GetName() + suffix})
	t.labels = append(t.labels, more...)
	for _, l := range m.GetLabel() {
		t.labels = append(t.labels, label{l.GetName(), l.GetValue()})
	}
	t.labels = append(t.labels, t.external...)
	t.encoded = appendLabels(t.encoded[:0], t.labels)
	t.add(t.encoded, f, p)
}

func cumulative(v float64, created *timestamppb.Timestamp) point {
	p := point{value: v, cumulative: true}
	if created != nil {
		p.created = created.AsTime().Round(time.Millisecond).UnixMilli()
	}
	return p
}

// formatFloat formats a bound like a scrape by Prometheus, so that pushed and scraped
// series are the same.
func formatFloat(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, "e.IN") {
		s += ".0"
	}
	return s
}
