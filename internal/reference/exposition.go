package reference

import (
	"fmt"
	"io"
	"math"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Shown reads an exposition in the text format. Families that the table does
// not name are passed over; a family of another type than the table needs, or
// a value that no count can have, is an error.
func Shown(r io.Reader) (Totals, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("parse the exposition: %w", err)
	}
	totals := make(Totals)
	for _, c := range correspondences {
		for _, m := range families[c.family].GetMetric() {
			value, err := c.value(m)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", c.family, err)
			}
			if key, ok := c.key(inFamily, labelsOf(m)); ok {
				totals[key] += value
			}
		}
	}
	return totals, nil
}

// labelsOf returns the labels of a sample; one that it does not have is empty.
func labelsOf(m *dto.Metric) func(name string) string {
	return func(name string) string {
		for _, l := range m.GetLabel() {
			if l.GetName() == name {
				return l.GetValue()
			}
		}
		return ""
	}
}

// A reading takes a whole number out of a sample.
type reading func(*dto.Metric) (int64, error)

func counter(m *dto.Metric) (int64, error) {
	if m.GetCounter() == nil {
		return 0, fmt.Errorf("not a counter: %v", m)
	}
	return whole(m.GetCounter().GetValue())
}

func observations(m *dto.Metric) (int64, error) {
	if m.GetHistogram() == nil {
		return 0, fmt.Errorf("not a histogram: %v", m)
	}
	return whole(float64(m.GetHistogram().GetSampleCount()))
}

// milliseconds reads a sum of seconds, each of them a number of milliseconds.
func milliseconds(m *dto.Metric) (int64, error) {
	if m.GetHistogram() == nil {
		return 0, fmt.Errorf("not a histogram: %v", m)
	}
	return whole(math.Round(m.GetHistogram().GetSampleSum() * 1000))
}

// billionths reads a number of dollars, each addend of which is a number of 10^-9.
func billionths(m *dto.Metric) (int64, error) {
	if m.GetCounter() == nil {
		return 0, fmt.Errorf("not a counter: %v", m)
	}
	return whole(math.Round(m.GetCounter().GetValue() * 1e9))
}

// whole refuses what cannot be a count, or not exactly: a comparison that
// rounds would not see what it is made to see.
func whole(v float64) (int64, error) {
	const exact = 1 << 53
	if v != math.Trunc(v) || v < 0 || v > exact {
		return 0, fmt.Errorf("%v is not a count", v)
	}
	return int64(v), nil
}
