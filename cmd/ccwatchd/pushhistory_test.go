package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A counted ledger is a provider.
type counted struct{ *ledger.Ledger }

func (c counted) SnapshotInto(s *ledger.Snapshot) bool {
	c.Ledger.SnapshotInto(s, 0)
	return true
}

// nonEmpty returns the labels of a metric that servers store.
func nonEmpty(m *dto.Metric) map[string]string {
	labels := make(map[string]string)
	for _, l := range m.GetLabel() {
		if l.GetValue() != "" {
			labels[l.GetName()] = l.GetValue()
		}
	}
	return labels
}

// gatheredTotals returns the totals of each gathered series.
func gatheredTotals(families []*dto.MetricFamily) map[string]push.Totals {
	all := make(map[string]push.Totals)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			l := push.Totals{Value: m.GetCounter().GetValue()}
			if h := m.GetHistogram(); h != nil {
				l = push.Totals{Value: float64(h.GetSampleCount()), Sum: h.GetSampleSum()}
			}
			all[seriesKey(f, m)] = l
		}
	}
	return all
}

func seriesKey(f *dto.MetricFamily, m *dto.Metric) string {
	return fmt.Sprint(f.GetName(), nonEmpty(m))
}

// A history has the labels that are gathered, ends at the gathered value, and had the
// gathered value at every earlier time.
func TestPushHistory(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	l := ledger.New(ledgertest.Options(), start.UnixMilli())
	exposition := &metrics.Exposition{Provider: counted{l}, Registry: prometheus.NewRegistry()}
	gather := func() map[string]push.Totals {
		families, done, err := exposition.Gather()
		defer done()
		if err != nil {
			t.Fatal(err)
		}
		return gatheredTotals(families)
	}
	visit := func(id ledger.FileID, at time.Time) {
		s := transcripttest.Session{ID: at.String(), CWD: "/src/a", Start: at}
		s.Prompt(at.String()).Reply(transcripttest.Reply{
			ID: at.String(), Out: 7, Stop: "tool_use", Calls: []transcripttest.Call{{ID: at.String(), Name: "Bash"}},
		}).Result(at.String(), "...", false)
		ledgertest.Add(l, id, map[string]string{"user": "ann"}, s.String(), at.Add(time.Minute))
		l.Release(l.Pending())
	}
	visit(1, start)
	before := gather()
	visit(2, start.Add(time.Hour))
	visit(3, start.Add(2*time.Hour))

	of := pushHistory(func() (ledger.History, bool) { return l.History(), true })
	all, ok := of(start.Add(30 * time.Minute).UnixMilli())
	if !ok || len(all) < 10 {
		t.Fatalf("got %d histories, %v", len(all), ok)
	}
	sums, now := 0., gather()
	for _, c := range all {
		key := seriesKey(c.Family, c.Metric)
		if got, want := c.Intervals[len(c.Intervals)-1].Totals, now[key]; got != want || got.Value == 0 {
			t.Errorf("%s: got %v in the end, want %v", key, got, want)
		}
		if c.Before != before[key] {
			t.Errorf("%s: got %v before, want %v", key, c.Before, before[key])
		}
		sums += c.Before.Sum
		for _, s := range c.Intervals {
			if s.End <= start.Add(30*time.Minute).UnixMilli() {
				t.Errorf("%s: got an interval until %v", key, time.UnixMilli(s.End))
			}
		}
	}
	tokens := `claude_tokens_totalmap[agent:main model:opus project:a type:output user:ann]`
	if before[tokens].Value != 7 || now[tokens].Value != 21 || sums == 0 {
		t.Errorf("got %v tokens and then %v", before[tokens], now[tokens])
	}
	if late, _ := of(start.Add(3 * time.Hour).UnixMilli()); len(late) != 0 {
		t.Errorf("got %d histories after the last event, want 0", len(late))
	}
	if _, ok := pushHistory(func() (ledger.History, bool) { return ledger.History{}, false })(0); ok {
		t.Error("got histories while nothing may be exposed")
	}
	off := l.History()
	off.Off = true
	if got, ok := pushHistory(func() (ledger.History, bool) { return off, true })(0); len(got) > 0 || !ok {
		t.Errorf("history off: got %d histories, %v", len(got), ok)
	}
}
