//go:build endtoend

package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference"
)

// familyNames returns the names of the families in the daemon's state.
func familyNames() (names []string) {
	for _, f := range ledger.Families(ledger.Options{}) {
		names = append(names, f.Name)
	}
	return names
}

// counterNames returns the names of the counters in the daemon's state, which must
// never reset. A histogram has three.
func counterNames() (names []string) {
	for _, f := range ledger.Families(ledger.Options{}) {
		switch f.Type {
		case counters.Counter:
			names = append(names, f.Name)
		case counters.Histogram:
			names = append(names, f.Name+"_bucket", f.Name+"_sum", f.Name+"_count")
		}
	}
	return names
}

func counterSelector() string { return `{__name__=~"` + strings.Join(counterNames(), "|") + `"}` }

// scrape returns the exposition of the daemon, and the values of the counters in its
// state by series.
func scrape(t *testing.T, daemon *Server) (text string, numbers map[string]float64) {
	t.Helper()
	b, err := daemon.Get(t.Context(), "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), numbersOf(t, string(b), familyNames())
}

// numbersOf returns the counters of the families by series.
func numbersOf(t *testing.T, text string, families []string) map[string]float64 {
	t.Helper()
	samples, err := exposition.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]float64)
	for _, s := range samples {
		if s.IsCounter() && slices.Contains(families, s.Family) {
			numbers[s.Series()] = s.Value
		}
	}
	return numbers
}

// seriesName returns the series in the notation of exposition.Sample, without the
// labels that a scrape adds.
func seriesName(labels map[string]string) string {
	m := make(model.Metric)
	for name, value := range labels {
		if name == "job" || name == "instance" || value == "" {
			continue
		}
		if bound, err := strconv.ParseFloat(value, 64); name == model.BucketLabel && err == nil {
			value = fmt.Sprint(bound) // formats differ in whether it is "1" or "1.0"
		}
		m[model.LabelName(name)] = model.LabelValue(value)
	}
	return m.String()
}

func lastValues(all []Series) map[string]float64 {
	values := make(map[string]float64)
	for _, s := range all {
		values[seriesName(s.Labels)] = s.Samples[len(s.Samples)-1].Value
	}
	return values
}

// compareNumbers returns an error unless both have the same series with the same
// values.
func compareNumbers(want, got map[string]float64) error {
	for name := range want {
		if _, ok := got[name]; !ok {
			return fmt.Errorf("%s is missing: want %g", name, want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s is unexpected: got %g", name, got[name])
		}
	}
	return exposition.Diff(want, got, func(_ string, a, b float64) bool { return equal(a, b) }).Err()
}

// equal compares values to about 15 digits: a server may keep no more.
func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// totalsOf returns the totals of the sessions in a directory, which no daemon follows
// and no fault touches. Tests and package reference compare "ccwatchd once" with other
// programs.
func totalsOf(t *testing.T, program, dir string) reference.Totals {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), program, "once", dir).Output()
	if err != nil {
		t.Fatalf("ccwatchd once: %v", err)
	}
	totals, err := reference.ParseExposition(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// compareTotals returns an error unless an exposition has the expected totals.
func compareTotals(want reference.Totals, text string) error {
	got, err := reference.ParseExposition(strings.NewReader(text))
	return errors.Join(err, reference.Diff(want, got, reference.Options{}).Err())
}

// awaitSettled waits until check accepts the numbers of the daemon, and those do not
// change during that. It returns the numbers.
func awaitSettled(t *testing.T, what string, daemon *Server, check func(numbers map[string]float64) error) (numbers map[string]float64) {
	t.Helper()
	Eventually(t, what, func() error {
		_, numbers = scrape(t, daemon)
		if err := check(numbers); err != nil {
			return err
		}
		if _, now := scrape(t, daemon); !maps.Equal(now, numbers) {
			return errors.New("the counters of the daemon change")
		}
		return nil
	})
	return numbers
}

// upToDate returns an error unless the server has scraped the numbers, since its last
// start: Prometheus takes five seconds before it scrapes.
func upToDate(t *testing.T, s *Server, numbers map[string]float64) error {
	up, err := s.Query(t.Context(), "timestamp(up)", time.Now())
	if err != nil {
		return err
	}
	if len(up) != 1 || up[0].Samples[0].Value < float64(s.Started.UnixMilli())/1000 {
		return fmt.Errorf("%s has not scraped", s.Name)
	}
	return hasNumbers(t, s, numbers)
}

// hasNumbers returns an error unless the server has the numbers.
func hasNumbers(t *testing.T, s *Server, numbers map[string]float64) error {
	series, err := s.Query(t.Context(), counterSelector(), time.Now())
	if err != nil {
		return err
	}
	if err := compareNumbers(numbers, lastValues(series)); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

func query(t *testing.T, s *Server, expr string) []Series {
	t.Helper()
	series, err := s.Query(t.Context(), expr, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return series
}
