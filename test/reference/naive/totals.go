package naive

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
)

// Totals are the expected series of some families, by their notation in the text
// format.
type Totals map[string]*Series

// A Series is the expected value of a counter or gauge, or the observations of a
// histogram. Dollars are in 10^-9.
type Series struct {
	Labels   model.Metric // with __name__, without empty values
	Value    float64
	Observed []float64
}

// Add adds to a counter or gauge. Labels are names and values in turn; an empty value
// is the same as no label.
func (t Totals) Add(n float64, family string, labels ...string) { t.series(family, labels).Value += n }

// Raise raises a gauge to a value.
func (t Totals) Raise(v float64, family string, labels ...string) {
	s := t.series(family, labels)
	s.Value = max(s.Value, v)
}

// Observe adds an observation to a histogram, in the unit of its family.
func (t Totals) Observe(v float64, family string, labels ...string) {
	s := t.series(family, labels)
	s.Observed = append(s.Observed, v)
}

func (t Totals) series(family string, labels []string) *Series {
	m := model.Metric{model.MetricNameLabel: model.LabelValue(family)}
	for i := 0; i < len(labels); i += 2 {
		if labels[i+1] != "" {
			m[model.LabelName(labels[i])] = model.LabelValue(labels[i+1])
		}
	}
	name := m.String()
	if t[name] == nil {
		t[name] = &Series{Labels: m}
	}
	return t[name]
}

// Merge adds the totals of another tree, which must have nothing in common with this
// tree. Of times, the latest remains.
func (t Totals) Merge(other Totals) {
	for _, s := range other {
		name := s.Labels.String()
		if t[name] == nil {
			t[name] = &Series{Labels: s.Labels}
		}
		if strings.HasSuffix(string(s.Labels[model.MetricNameLabel]), "_timestamp_seconds") {
			t[name].Value = max(t[name].Value, s.Value)
		} else {
			t[name].Value += s.Value
		}
		t[name].Observed = append(t[name].Observed, s.Observed...)
	}
}

// NonZero returns the number of series of some families that are not zero.
func (t Totals) NonZero(families []string) (n int) {
	for _, s := range t {
		if (s.Value != 0 || s.Observed != nil) && slices.Contains(families, string(s.Labels[model.MetricNameLabel])) {
			n++
		}
	}
	return n
}
