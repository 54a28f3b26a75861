//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// keptNames are the names of the counters that the daemon keeps in its state, so
// that they never begin anew. Histograms are made of them.
func keptNames() (names []string) {
	for _, f := range ledger.Families(ledger.Options{}) {
		switch f.Type {
		case ledger.Counter:
			names = append(names, f.Name)
		case ledger.Histogram:
			names = append(names, f.Name+"_bucket", f.Name+"_sum", f.Name+"_count")
		}
	}
	return names
}

// kept selects all of their series.
func kept() string { return `{__name__=~"` + strings.Join(keptNames(), "|") + `"}` }

// shown returns what the daemon shows, and of it the numbers of what it keeps, by
// series. What is new is 0 for a while.
func shown(t *testing.T, daemon *Server) (exposition string, numbers map[string]float64) {
	t.Helper()
	page, err := daemon.Get(t.Context(), "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(page), numbersOf(t, string(page), familyNames())
}

// familyNames are the names of the families that the daemon keeps in its state.
func familyNames() (names []string) {
	for _, f := range ledger.Families(ledger.Options{}) {
		names = append(names, f.Name)
	}
	return names
}

// numbersOf returns the numbers of the counters and histograms with such names, by
// series.
func numbersOf(t *testing.T, page string, names []string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]float64)
	for _, name := range names {
		for _, m := range families[name].GetMetric() {
			addNumbers(numbers, name, m)
		}
	}
	return numbers
}

// settled waits until others are not behind what the daemon exposes, and it exposes
// nothing else then. It returns the numbers.
func settled(t *testing.T, what string, daemon *Server, behind func(numbers map[string]float64) error) (numbers map[string]float64) {
	t.Helper()
	Eventually(t, what, func() error {
		_, numbers = shown(t, daemon)
		if err := behind(numbers); err != nil {
			return err
		}
		if _, now := shown(t, daemon); !maps.Equal(now, numbers) {
			return errMoves
		}
		return nil
	})
	return numbers
}

var errMoves = errors.New("the daemon shows something else by now")

func addNumbers(numbers map[string]float64, name string, m *dto.Metric) {
	labels := make(map[string]string)
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	add := func(suffix string, value float64) {
		labels["__name__"] = name + suffix
		numbers[nameOf(labels)] = value
	}
	switch {
	case m.Counter != nil:
		add("", m.GetCounter().GetValue())
	case m.Histogram != nil:
		h := m.GetHistogram()
		add("_count", float64(h.GetSampleCount()))
		add("_sum", h.GetSampleSum())
		for _, b := range h.GetBucket() {
			labels["le"] = strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64)
			add("_bucket", float64(b.GetCumulativeCount()))
		}
	}
}

// nameOf writes the labels of a series in one way, whatever format they came in,
// without those that a scrape adds and those that are empty.
func nameOf(labels map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		value := labels[name]
		if name == "job" || name == "instance" || value == "" {
			continue
		}
		if bound, err := strconv.ParseFloat(value, 64); name == "le" && err == nil {
			value = strconv.FormatFloat(bound, 'g', -1, 64)
		}
		fmt.Fprintf(&b, "%s=%q ", name, value)
	}
	return b.String()
}

// behind tells how what a server has last of every series differs from numbers. One that
// was started has scraped since: Prometheus takes five seconds before it does.
func behind(t *testing.T, s *Server, numbers map[string]float64) error {
	up, err := s.Query(t.Context(), "timestamp(up)", time.Now())
	if err != nil {
		return err
	}
	if len(up) != 1 || up[0].Samples[0].Value < float64(s.Started.UnixMilli())/1000 {
		return fmt.Errorf("%s has not scraped", s.Name)
	}
	series, err := s.Query(t.Context(), kept(), time.Now())
	if err != nil {
		return err
	}
	if len(series) != len(numbers) {
		err = fmt.Errorf("%s has %d series, the daemon shows %d", s.Name, len(series), len(numbers))
	}
	for _, one := range series {
		name := nameOf(one.Labels)
		if got, want := one.Samples[0].Value, numbers[name]; !equal(got, want) {
			err = fmt.Errorf("%s has %g of %s, the daemon shows %g", s.Name, got, name, want)
		}
	}
	return err
}

// equal compares numbers of which a server may have kept 15 digits.
func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
