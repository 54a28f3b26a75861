package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// What a scraper asks for.
const (
	plainText   = ""
	openMetrics = "application/openmetrics-text;version=1.0.0"
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// scrape returns what the daemon shows, and false while it shows nothing.
func (d *process) scrape(accept string) ([]*dto.MetricFamily, bool) {
	d.t.Helper()
	status, body, err := d.get("/metrics", accept)
	if err != nil || status == http.StatusServiceUnavailable {
		return nil, false
	}
	if status != http.StatusOK {
		d.t.Fatalf("a scrape is answered with %d: %s", status, body)
	}
	families, err := parse(body, accept)
	if err != nil {
		d.t.Fatal(err)
	}
	return families, true
}

// sample is the sum over all series of a family, which must be there.
func (d *process) sample(name string) float64 {
	d.t.Helper()
	sum, found := d.sum(name)
	if !found {
		d.t.Fatalf("the exposition lacks %s", name)
	}
	return sum
}

// sum is the sum over all series of a family, and whether there is one.
func (d *process) sum(name string) (sum float64, found bool) {
	d.t.Helper()
	status, body, err := d.get("/metrics", plainText)
	if err != nil || status != http.StatusOK {
		d.t.Fatalf("scrape: %d, %v", status, err)
	}
	for line := range strings.Lines(body) {
		if len(line) <= len(name) || !strings.HasPrefix(line, name) || !strings.ContainsRune("{ ", rune(line[len(name)])) {
			continue
		}
		value := strings.TrimSpace(line[strings.LastIndexByte(line, ' '):])
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			d.t.Fatal(err)
		}
		found, sum = true, sum+v
	}
	return sum, found
}

func parse(body, accept string) ([]*dto.MetricFamily, error) {
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	if accept == protobuf {
		format = expfmt.NewFormat(expfmt.TypeProtoDelim)
	}
	decoder := expfmt.NewDecoder(strings.NewReader(body), format)
	var families []*dto.MetricFamily
	for {
		family := new(dto.MetricFamily)
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return families, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode exposition: %w", err)
		}
		families = append(families, family)
	}
}

// A reading is one number of an exposition.
type reading struct {
	value   float64
	created time.Time // of its series; zero where the format does not tell
}

// counters returns every number in the families of the ledger that must never
// go down, by its series.
func counters(families []*dto.MetricFamily) map[string]reading {
	monotonic := make(map[string]bool)
	for _, f := range ledger.Families(ledger.Options{}) {
		monotonic[f.Name] = f.Type != ledger.Gauge
	}
	readings := make(map[string]reading)
	for _, family := range families {
		if !monotonic[family.GetName()] {
			continue
		}
		for _, m := range family.GetMetric() {
			addReadings(readings, family.GetName()+labelsOf(m), m)
		}
	}
	return readings
}

func addReadings(to map[string]reading, series string, m *dto.Metric) {
	if c := m.GetCounter(); c != nil {
		r := reading{value: c.GetValue()}
		if c.GetCreatedTimestamp() != nil {
			r.created = c.GetCreatedTimestamp().AsTime()
		}
		to[series] = r
		return
	}
	h, created := m.GetHistogram(), time.Time{}
	if h.GetCreatedTimestamp() != nil {
		created = h.GetCreatedTimestamp().AsTime()
	}
	to[series+" count"] = reading{float64(h.GetSampleCount()), created}
	to[series+" sum"] = reading{h.GetSampleSum(), created}
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			continue // the count once more, and only in some formats
		}
		to[series+" le "+strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64)] = reading{float64(b.GetCumulativeCount()), created}
	}
}

// labelsOf writes the labels of a series as the text format does.
func labelsOf(m *dto.Metric) string {
	set := make(model.LabelSet)
	for _, l := range m.GetLabel() {
		set[model.LabelName(l.GetName())] = model.LabelValue(l.GetValue())
	}
	return set.String()
}

// A history is the highest that was ever shown.
type history struct {
	shown   map[string]reading
	scrapes int
}

// see checks that nothing has gone down, vanished or been born again.
func (h *history) see(t testing.TB, families []*dto.MetricFamily) {
	t.Helper()
	h.scrapes++
	now := counters(families)
	for series, before := range h.shown {
		r, there := now[series]
		switch {
		case !there:
			t.Errorf("scrape %d: %s has vanished, it was %v", h.scrapes, series, before.value)
		case r.value < before.value:
			t.Errorf("scrape %d: %s fell from %v to %v", h.scrapes, series, before.value, r.value)
		case !r.created.IsZero() && !before.created.IsZero() && !r.created.Equal(before.created):
			t.Errorf("scrape %d: %s was created at %v, and before at %v", h.scrapes, series, r.created, before.created)
		}
	}
	if h.shown == nil {
		h.shown = make(map[string]reading)
	}
	for series, r := range now {
		if r.created.IsZero() {
			r.created = h.shown[series].created
		}
		h.shown[series] = r
	}
}
