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

// Accept headers of scrapers.
const (
	plainText   = ""
	openMetrics = "application/openmetrics-text;version=1.0.0"
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// scrape returns the exposed families, and false while nothing is exposed.
func (d *process) scrape(accept string) ([]*dto.MetricFamily, bool) {
	d.t.Helper()
	status, body, err := d.get("/metrics", accept)
	if err != nil || status == http.StatusServiceUnavailable {
		return nil, false
	}
	if status != http.StatusOK {
		d.t.Fatalf("scrape: status %d: %s", status, body)
	}
	families, err := parse(body, accept)
	if err != nil {
		d.t.Fatal(err)
	}
	return families, true
}

// sample returns the sum over all series of a family, which must exist.
func (d *process) sample(name string) float64 {
	d.t.Helper()
	sum, found := d.sum(name)
	if !found {
		d.t.Fatalf("%s is missing in the exposition", name)
	}
	return sum
}

// sum returns the sum over all series of a family, and whether there is one.
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

// A reading is one value of an exposition.
type reading struct {
	value   float64
	created time.Time // of its series; zero if the format lacks it
}

// counters returns all values of the ledger's families that must never decrease, by
// series.
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
			continue // equals the count, and is not in every format
		}
		to[series+" le "+strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64)] = reading{float64(b.GetCumulativeCount()), created}
	}
}

// labelsOf returns the labels of a series in the text format.
func labelsOf(m *dto.Metric) string {
	set := make(model.LabelSet)
	for _, l := range m.GetLabel() {
		set[model.LabelName(l.GetName())] = model.LabelValue(l.GetValue())
	}
	return set.String()
}

// A history holds the last value of every counter.
type history struct {
	shown   map[string]reading
	scrapes int
}

// see checks that no counter has decreased, disappeared or been created again.
func (h *history) see(t testing.TB, families []*dto.MetricFamily) {
	t.Helper()
	h.scrapes++
	now := counters(families)
	for series, before := range h.shown {
		r, there := now[series]
		switch {
		case !there:
			t.Errorf("scrape %d: %s disappeared, it was %v", h.scrapes, series, before.value)
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
