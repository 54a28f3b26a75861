package reference

import (
	"fmt"
	"io"
	"math"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// ParseExposition reads an exposition in the text format, see [TotalsOf].
func ParseExposition(r io.Reader) (Totals, error) {
	samples, err := exposition.Parse(r, exposition.Text)
	if err != nil {
		return nil, err
	}
	return TotalsOf(samples)
}

// TotalsOf returns the totals in samples of ccwatchd. It ignores families that the
// table does not name. A family of another type than the table needs, or a value that
// no count can have, is an error.
func TotalsOf(samples exposition.Samples) (Totals, error) {
	byFamily := make(map[string]exposition.Samples)
	for _, s := range samples {
		byFamily[s.Family] = append(byFamily[s.Family], s)
	}
	totals := make(Totals)
	for _, c := range correspondences {
		for _, s := range byFamily[c.family] {
			if s.Type != c.value.metricType {
				return nil, fmt.Errorf("read %s: got a %v, want a %v", c.family, s.Type, c.value.metricType)
			}
			key, ok := c.key(inFamily, func(name string) string { return string(s.Labels[model.LabelName(name)]) })
			if !ok || s.Name() != c.family+c.value.suffix {
				continue
			}
			value, err := c.value.count(s.Value)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", c.family, err)
			}
			totals[key] += value
		}
	}
	return totals, nil
}

// A reading describes how to get a count from the samples of a family.
type reading struct {
	metricType dto.MetricType
	suffix     string  // of the sample's name
	units      float64 // per unit of the sample's value; the count is rounded unless 1
}

var (
	counter      = reading{dto.MetricType_COUNTER, "", 1}
	gauge        = reading{dto.MetricType_GAUGE, "", 1}
	observations = reading{dto.MetricType_HISTOGRAM, "_count", 1}
	// A sum of seconds, each observation a number of milliseconds.
	milliseconds = reading{dto.MetricType_HISTOGRAM, "_sum", 1e3}
	// A sum of dollars, each addend a number of 10^-9 dollars.
	billionths = reading{dto.MetricType_COUNTER, "", 1e9}
)

// count refuses a value that cannot be a count, or is not exactly one: a comparison
// of rounded values would miss differences.
func (r reading) count(v float64) (int64, error) {
	if r.units != 1 {
		v = math.Round(v * r.units)
	}
	if v != math.Trunc(v) || v < 0 || v > 1<<53 {
		return 0, fmt.Errorf("%v is not a count", v)
	}
	return int64(v), nil
}
