package torture

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// What a scraper asks for.
const (
	plainText   = "text/plain"
	openMetrics = "application/openmetrics-text;version=1.0.0"
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// An exposition is one scrape: every number in it, by its series.
type exposition struct {
	kept    numbers // counters that the state keeps
	process numbers // counters that begin anew with every process
	gauges  numbers
	created numbers // when the series of the state were, where the format tells
}

type numbers map[string]float64

// decode parses a scrape in the text format or in protobuf.
func decode(r io.Reader, accept string) (*exposition, error) {
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	if accept == protobuf {
		format = expfmt.NewFormat(expfmt.TypeProtoDelim)
	}
	kept := keptFamilies()
	x := &exposition{make(numbers), make(numbers), make(numbers), make(numbers)}
	for decoder := expfmt.NewDecoder(r, format); ; {
		family := new(dto.MetricFamily)
		err := decoder.Decode(family)
		switch {
		case errors.Is(err, io.EOF):
			return x, nil
		case err != nil:
			return nil, fmt.Errorf("decode an exposition: %w", err)
		}
		to := x.process
		if slices.Contains(kept, family.GetName()) {
			to = x.kept
		}
		for _, m := range family.GetMetric() {
			x.add(to, family.GetName()+labelsOf(m), m)
		}
	}
}

// keptFamilies are the names of the families of the ledger.
func keptFamilies() (names []string) {
	for _, f := range ledger.Families(ledger.Options{}) {
		names = append(names, f.Name)
	}
	return names
}

// add adds the numbers of a series, those of gauges to the gauges.
func (x *exposition) add(to numbers, series string, m *dto.Metric) {
	switch {
	case m.Counter != nil:
		to[series] = m.GetCounter().GetValue()
		if at := m.GetCounter().GetCreatedTimestamp(); at != nil {
			x.created[series] = float64(at.AsTime().UnixMilli())
		}
	case m.Histogram != nil:
		h := m.GetHistogram()
		to[series+" count"] = float64(h.GetSampleCount())
		to[series+" sum"] = h.GetSampleSum()
		for _, b := range h.GetBucket() {
			if !math.IsInf(b.GetUpperBound(), 1) { // the count once more, and only in some formats
				to[series+" le "+strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64)] = float64(b.GetCumulativeCount())
			}
		}
	case m.Gauge != nil:
		x.gauges[series] = m.GetGauge().GetValue()
	}
}

// labelsOf writes the labels of a series as the text format does.
func labelsOf(m *dto.Metric) string {
	if len(m.GetLabel()) == 0 {
		return ""
	}
	set := make(model.LabelSet)
	for _, l := range m.GetLabel() {
		set[model.LabelName(l.GetName())] = model.LabelValue(l.GetValue())
	}
	return set.String()
}

// probes returns how many probes are shown.
func (x *exposition) probes() (n int) {
	for series, v := range x.kept {
		if strings.HasPrefix(series, "claude_tool_calls_total{") && strings.Contains(series, `tool="`+probeTool+`"`) {
			n += int(v)
		}
	}
	return n
}

// counted leaves out what is told of lines: they are read again when a file is.
func counted(totals reference.Totals) reference.Totals {
	for key := range totals {
		switch key.Metric {
		case "entries", "malformed_lines", "unknown_format":
			delete(totals, key)
		}
	}
	return totals
}

// apart are labels that go by the copy of a message that was counted first: a better
// one adds tokens and changes nothing else.
var apart = regexp.MustCompile(`(agent|stop_reason)="[^"]*"(, )?`)

// added adds up the series of what was seen of Claude Code that differ in
// nothing but such labels.
func (n numbers) added() numbers {
	sums := make(numbers)
	for series, v := range n {
		if strings.HasPrefix(series, "claude_") {
			sums[apart.ReplaceAllLiteralString(series, "")] += v
		}
	}
	return sums
}
