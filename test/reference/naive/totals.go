package naive

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// Totals are the expected values of series.
type Totals struct {
	counts       map[string]float64
	observations map[string][]float64 // of the histograms
}

// NewTotals returns empty totals.
func NewTotals() *Totals {
	return &Totals{counts: make(map[string]float64), observations: make(map[string][]float64)}
}

// Add adds to a counter or gauge. Labels are names and values in turn; an empty value
// is the same as no label.
func (t *Totals) Add(n float64, family string, labels ...string) {
	t.counts[seriesOf(family, labels...)] += n
}

// Observe adds an observation to a histogram, in the unit of its family.
func (t *Totals) Observe(v float64, family string, labels ...string) {
	series := seriesOf(family, labels...)
	t.observations[series] = append(t.observations[series], v)
}

// seriesOf returns a series in the text format, with sorted labels.
func seriesOf(name string, labels ...string) string {
	m := model.Metric{model.MetricNameLabel: model.LabelValue(name)}
	for i := 0; i+1 < len(labels); i += 2 {
		if labels[i+1] != "" {
			m[model.LabelName(labels[i])] = model.LabelValue(labels[i+1])
		}
	}
	return m.String()
}

// Diff returns a line for each series of the rules' families that does not have its
// expected value in an exposition. A counter that is 0 may be missing.
func (t *Totals) Diff(rules []Rule, got exposition.Samples) (differences []string) {
	want, exposed := maps.Clone(t.counts), make(map[string]float64)
	for _, s := range got {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return slices.Contains(r.Families, s.Family) }) {
			continue
		}
		exposed[s.Series()] = s.Value
		if s.Name() != s.Family {
			want[s.Series()] = t.expected(s)
		}
	}
	for series, observed := range t.observations {
		want[strings.Replace(series, seriesName(series), seriesName(series)+"_count", 1)] = float64(len(observed))
	}
	for _, series := range slices.Sorted(maps.Keys(union(want, exposed))) {
		if a, b := want[series], exposed[series]; math.Abs(a-b) > 1e-9*max(1, math.Abs(a)) {
			differences = append(differences, fmt.Sprintf("%s: want %v, got %v", series, a, b))
		}
	}
	return differences
}

func seriesName(series string) string {
	name, _, _ := strings.Cut(series, "{")
	return name
}

// expected returns the value of a sample of a histogram.
func (t *Totals) expected(s exposition.Sample) float64 {
	labels := maps.Clone(s.Labels)
	labels[model.MetricNameLabel] = model.LabelValue(s.Family)
	delete(labels, model.BucketLabel)
	bound, err := strconv.ParseFloat(string(s.Labels[model.BucketLabel]), 64)
	limit := cmp.Or(bound, math.Inf(1))
	var n, sum float64
	for _, v := range t.observations[labels.String()] {
		sum += v
		if err != nil || v <= limit {
			n++
		}
	}
	if strings.HasSuffix(s.Name(), "_sum") {
		return sum
	}
	return n
}

func union(a, b map[string]float64) map[string]float64 {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
