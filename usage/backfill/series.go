package backfill

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A series is a series of the history, and the lines of samples that it becomes.
type series struct {
	family *api.HistoryFamily
	curve  curve
	labels map[string]string
	lines  []line
}

// A line is a series in a server: a histogram has two, a counter one.
type line struct {
	name    string
	prefix  string // of each sample in OpenMetrics: the name and the labels
	divisor float64
	isSum   bool
	last    uint64 // the last value
}

const histogram = "histogram"

func newSeries(f *api.HistoryFamily, s *api.HistorySeries, c curve, more map[string]string) *series {
	labels := maps.Clone(s.Labels)
	for name, value := range more {
		if labels[name] == "" && value != "" {
			labels[name] = value
		}
	}
	text := formatLabels(labels)
	add := func(name string, divisor uint64, isSum bool, last uint64) line {
		return line{name: name, prefix: name + text, divisor: float64(divisor), isSum: isSum, last: last}
	}
	made := &series{family: f, curve: c, labels: labels}
	if f.Type == histogram {
		made.lines = []line{add(f.Name+"_count", 1, false, s.Value), add(f.Name+"_sum", f.Divisor, true, s.Sum)}
	} else {
		made.lines = []line{add(f.Name, f.Divisor, false, s.Value)}
	}
	return made
}

// escape escapes the value of a label, or a help text.
var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// formatLabels returns labels in OpenMetrics, sorted.
func formatLabels(labels map[string]string) string {
	if len(labels) == 0 {
		return " "
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(name + `="` + escape.Replace(labels[name]) + `"`)
	}
	return b.String() + "} "
}

// past returns the samples of a line. They begin with the samples of the curve c.
func (s *series) past(l *line, c curve, p period) *push.Past {
	kind := dto.MetricType_COUNTER
	if s.family.Type == histogram {
		kind = dto.MetricType_HISTOGRAM
	}
	return &push.Past{
		Name: l.name, Labels: s.labels, Family: &dto.MetricFamily{Name: &s.family.Name, Help: &s.family.Help, Type: &kind},
		UpTo: func(limit int64, add func(at int64, value float64)) {
			_ = c.upTo(limit, p, func(t int64, value, sum uint64) error {
				add(t, l.valueOf(value, sum))
				return nil
			})
		},
	}
}

// valueOf returns a value in the unit of the line. It divides as a scrape does, so that
// both give the same number.
func (l *line) valueOf(value, sum uint64) float64 {
	if l.isSum {
		value = sum
	}
	return float64(value) / l.divisor
}

// digits returns the size of the last value as text, an estimate for all values.
func (l *line) digits() int {
	return len(strconv.AppendFloat(nil, float64(l.last)/l.divisor, 'g', -1, 64))
}
