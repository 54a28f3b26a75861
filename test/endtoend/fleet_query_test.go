//go:build endtoend && fleet

package endtoend

import (
	"fmt"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference"
)

// machineLabels are the labels that differ between the machines of a user.
const machineLabels = "job, instance, host"

// summed returns the totals by user that Mimir computes from an expression for each
// counter, at a time.
func summed(t *testing.T, mimir *Server, expr func(counter string) string, at time.Time) (usersTotals, error) {
	t.Helper()
	samples := make(map[string]exposition.Samples)
	for _, f := range ledger.Families(ledger.Options{}) {
		names, kind := []string{f.Name}, dto.MetricType_COUNTER
		switch f.Type {
		case counters.Counter:
		case counters.Histogram:
			names, kind = []string{f.Name + "_count", f.Name + "_sum"}, dto.MetricType_HISTOGRAM
		default:
			continue
		}
		for _, name := range names {
			series, err := mimir.Query(t.Context(), fmt.Sprintf("sum without (%s) (%s)", machineLabels, expr(name)), at)
			if err != nil {
				return nil, err
			}
			for _, ts := range series {
				user := ts.Labels["user"]
				samples[user] = append(samples[user], exposition.Sample{
					Family: f.Name, Type: kind, Labels: labelSet(name, ts.Labels), Value: ts.Samples[0].Value,
				})
			}
		}
	}
	totals := make(usersTotals)
	for user, all := range samples {
		of, err := reference.TotalsOf(all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", user, err)
		}
		totals[user] = of
	}
	return totals, nil
}

func labelSet(name string, labels map[string]string) model.Metric {
	m := model.Metric{model.MetricNameLabel: model.LabelValue(name)}
	for name, value := range labels {
		if name != "user" {
			m[model.LabelName(name)] = model.LabelValue(value)
		}
	}
	return m
}

// compareUsers returns an error unless both have the same users with the same totals.
func compareUsers(want, got usersTotals) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d users, want %d", len(got), len(want))
	}
	for user := range want {
		if err := reference.Diff(want[user], got[user], reference.Options{}).Err(); err != nil {
			return fmt.Errorf("%s: %w", user, err)
		}
	}
	return nil
}

// compareRequests returns an error unless a query has the number of requests of each
// user.
func compareRequests(want usersTotals, got []Series) error {
	numbers := make(map[string]float64)
	for _, ts := range got {
		numbers[ts.Labels["user"]] = ts.Samples[0].Value
	}
	for user, totals := range want {
		var requests int64
		for key, n := range totals {
			if key.Metric == "messages" {
				requests += n
			}
		}
		if numbers[user] != float64(requests) {
			return fmt.Errorf("%s has %g requests, want %d", user, numbers[user], requests)
		}
	}
	return nil
}

// awaitUsers waits until the counters at Mimir add up to the totals of every user.
func awaitUsers(t *testing.T, what string, mimir *Server, want usersTotals) {
	t.Helper()
	Eventually(t, what, func() error {
		// One query, instead of one for each counter.
		if err := compareRequests(want, query(t, mimir, "sum by (user) (claude_requests_total)")); err != nil {
			return err
		}
		got, err := summed(t, mimir, func(counter string) string { return counter }, time.Now())
		if err != nil {
			return err
		}
		return compareUsers(want, got)
	})
}

// value returns the value of an expression without labels at a time, 0 if it has no
// result.
func value(t *testing.T, mimir *Server, expr string, at time.Time) float64 {
	t.Helper()
	series, err := mimir.Query(t.Context(), expr, at)
	if err != nil {
		t.Fatal(err)
	}
	if len(series) == 0 {
		return 0
	}
	return series[0].Samples[0].Value
}
