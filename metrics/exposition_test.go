package metrics

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestExposition(t *testing.T) {
	golden(t, "testdata/exposition.txt", text(t, exposition(sample())))
}

func TestExpositionOfLedger(t *testing.T) {
	l := ledger.New(defaults(t), born)
	e := gatherer(&Exposition{Provider: ledgerProvider{l}, Registry: prometheus.NewRegistry()})
	lint(t, e)
	families := gather(t, e)
	if got, want := len(families["claude_api_errors_total"].GetMetric()), len(transcript.ErrorClasses); got != want {
		t.Errorf("got %d series of errors that begin at zero, want %d", got, want)
	}
}

// While the provider exposes nothing, before it has caught up or at its end, the
// daemon's own metrics are not exposed either. A scrape takes one snapshot.
func TestNothingExposed(t *testing.T) {
	provider := &fixedProvider{snapshot: sample()}
	e := &Exposition{Provider: provider, Registry: prometheus.NewRegistry()}
	NewDaemon(e.Registry)
	for i, blocked := range []bool{true, false, true} {
		provider.blocked = blocked
		if got := text(t, e); (len(got) == 0) != blocked {
			t.Errorf("blocked %v: got %q", blocked, got)
		}
		if got := provider.calls.Load(); got != int64(i)+1 {
			t.Errorf("got %d snapshots after %d scrapes", got, i+1)
		}
	}
}

func TestConcurrentScrapes(t *testing.T) {
	e := exposition(sample())
	want := string(text(t, e))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var b strings.Builder
			if err := e.WriteText(&b); err != nil || b.String() != want {
				t.Errorf("a concurrent scrape differs, error %v", err)
			}
		})
	}
	all.Wait()
}

func value(m *dto.Metric, label string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == label {
			return l.GetValue()
		}
	}
	return ""
}

func TestMaxSessions(t *testing.T) {
	for limit, want := range map[int][]string{
		-1: nil, 0: nil, 1: {"s-3"}, 2: {"s-0\ufffd", "s-3"}, 200: {"s-0\ufffd", "s-3"},
	} {
		e := exposition(sample())
		e.MaxSessions = func() int { return limit }
		var got []string
		for _, m := range gather(t, gatherer(e))["claude_session_context_tokens"].GetMetric() {
			got = append(got, value(m, "session"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: got %q, want %q", limit, got, want)
		}
	}
}
