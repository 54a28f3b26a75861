// Package exposition parses scrapes of ccwatchd and compares totals. Only tests
// and development tools use it.
package exposition

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// Accept headers of the exposition formats. Parse understands all but OpenMetrics.
const (
	Text        = "text/plain"
	OpenMetrics = "application/openmetrics-text;version=1.0.0"
	Protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// A Sample is one number of an exposition. A histogram has a sample for its count,
// for its sum, and for each bucket.
type Sample struct {
	Family  string
	Type    dto.MetricType
	Labels  model.Metric // with __name__, without empty values
	Value   float64
	Created time.Time // zero if the format has no created timestamps
}

// Name returns the sample's name: the family's, and the suffix in histograms.
func (s Sample) Name() string { return string(s.Labels[model.MetricNameLabel]) }

// Series returns the series in the notation of the text format.
func (s Sample) Series() string { return s.Labels.String() }

// IsCounter reports whether the sample must never decrease.
func (s Sample) IsCounter() bool {
	return s.Type == dto.MetricType_COUNTER || s.Type == dto.MetricType_HISTOGRAM
}

// Samples are the samples of one exposition.
type Samples []Sample

// Parse decodes an exposition in the format that an Accept header requested: the
// text format unless it is Protobuf.
func Parse(r io.Reader, accept string) (all Samples, err error) {
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	if accept == Protobuf {
		format = expfmt.NewFormat(expfmt.TypeProtoDelim)
	}
	for decoder := expfmt.NewDecoder(r, format); ; {
		var family dto.MetricFamily
		err := decoder.Decode(&family)
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("parse the exposition: %w", err)
		}
		for _, m := range family.GetMetric() {
			if all, err = all.add(&family, m); err != nil {
				return nil, fmt.Errorf("parse the exposition: %w", err)
			}
		}
	}
}

// ParseText parses an exposition in the text format.
func ParseText(text string) (Samples, error) { return Parse(strings.NewReader(text), Text) }

func (all Samples) add(family *dto.MetricFamily, m *dto.Metric) (Samples, error) {
	single := &dto.MetricFamily{Name: family.Name, Type: family.Type, Metric: []*dto.Metric{m}}
	vector, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{}, single)
	if err != nil {
		return nil, err
	}
	created := timeOf(m.GetCounter().GetCreatedTimestamp())
	if m.GetHistogram() != nil {
		created = timeOf(m.GetHistogram().GetCreatedTimestamp())
	}
	for _, v := range vector {
		for name, value := range v.Metric {
			if value == "" {
				delete(v.Metric, name)
			}
		}
		all = append(all, Sample{family.GetName(), family.GetType(), v.Metric, float64(v.Value), created})
	}
	return all, nil
}

func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}

// Sum adds up the samples with a name and with given labels ("name", "value", ...)
// among their labels, and reports whether there are any.
func (all Samples) Sum(name string, labels ...string) (sum float64, found bool) {
	want := model.Metric{model.MetricNameLabel: model.LabelValue(name)}
	for i := 0; i < len(labels); i += 2 {
		want[model.LabelName(labels[i])] = model.LabelValue(labels[i+1])
	}
	for _, s := range all {
		if s.matches(want) {
			sum, found = sum+s.Value, true
		}
	}
	return sum, found
}

func (s Sample) matches(labels model.Metric) bool {
	for name, value := range labels {
		if s.Labels[name] != value {
			return false
		}
	}
	return true
}

// Counters splits the counters and histograms by series: the ledger's series, which
// outlive a process, and the process's own.
func (all Samples) Counters() (persistent, process map[string]Sample) {
	kept := make(map[string]bool)
	for _, f := range ledger.Families(ledger.Options{}) {
		kept[f.Name] = true
	}
	persistent, process = make(map[string]Sample), make(map[string]Sample)
	for _, s := range all {
		switch {
		case !s.IsCounter():
		case kept[s.Family]:
			persistent[s.Series()] = s
		default:
			process[s.Series()] = s
		}
	}
	return persistent, process
}
