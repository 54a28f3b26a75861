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

// A reading is the value of one series.
type reading struct {
	value   float64
	created int64 // milliseconds since the epoch, 0 if that is not known
	grows   bool  // it counts something, from zero on
}

// A walk goes through metrics and takes each as the series that a server stores
// of it: of a histogram with buckets, these, its sum and its count.
type walk struct {
	external []label // that every series gets unless it has one of that name
	take     func(labels []byte, of *dto.MetricFamily, v reading)

	all  []label
	text []byte
}

// family takes all metrics of a family.
func (w *walk) family(f *dto.MetricFamily) {
	for _, m := range f.GetMetric() {
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			w.one(f, m, "", counted(m.GetCounter().GetValue(), m.GetCounter().GetCreatedTimestamp()))
		case dto.MetricType_GAUGE:
			w.one(f, m, "", reading{value: m.GetGauge().GetValue()})
		case dto.MetricType_SUMMARY:
			w.summary(f, m, m.GetSummary())
		case dto.MetricType_HISTOGRAM:
			w.histogram(f, m, m.GetHistogram())
		default:
			w.one(f, m, "", reading{value: m.GetUntyped().GetValue()})
		}
	}
}

func (w *walk) summary(f *dto.MetricFamily, m *dto.Metric, s *dto.Summary) {
	for _, q := range s.GetQuantile() {
		w.one(f, m, "", reading{value: q.GetValue()}, label{model.QuantileLabel, number(q.GetQuantile())})
	}
	w.totals(f, m, s.GetSampleSum(), s.GetSampleCount(), s.GetCreatedTimestamp())
}

func (w *walk) histogram(f *dto.MetricFamily, m *dto.Metric, h *dto.Histogram) {
	created := h.GetCreatedTimestamp()
	bucket := func(bound float64, n uint64) {
		w.one(f, m, "_bucket", counted(float64(n), created), label{model.BucketLabel, number(bound)})
	}
	infinite := false
	for _, b := range h.GetBucket() {
		bucket(b.GetUpperBound(), b.GetCumulativeCount())
		infinite = infinite || math.IsInf(b.GetUpperBound(), 1)
	}
	if !infinite {
		bucket(math.Inf(1), h.GetSampleCount())
	}
	w.totals(f, m, h.GetSampleSum(), h.GetSampleCount(), created)
}

func (w *walk) totals(f *dto.MetricFamily, m *dto.Metric, sum float64, count uint64, created *timestamppb.Timestamp) {
	w.one(f, m, "_sum", counted(sum, created))
	w.one(f, m, "_count", counted(float64(count), created))
}

// one takes one series.
func (w *walk) one(f *dto.MetricFamily, m *dto.Metric, suffix string, v reading, more ...label) {
	w.all = append(w.all[:0], label{model.MetricNameLabel, f.GetName() + suffix})
	w.all = append(w.all, more...)
	for _, l := range m.GetLabel() {
		w.all = append(w.all, label{l.GetName(), l.GetValue()})
	}
	w.all = append(w.all, w.external...)
	w.text = appendLabels(w.text[:0], w.all)
	w.take(w.text, f, v)
}

func counted(v float64, created *timestamppb.Timestamp) reading {
	r := reading{value: v, grows: true}
	if created != nil {
		r.created = created.AsTime().Round(time.Millisecond).UnixMilli()
	}
	return r
}

// number writes the bound of a bucket as Prometheus stores it, so that a series is
// the same whether it was sent or scraped.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, "e.IN") {
		s += ".0"
	}
	return s
}
