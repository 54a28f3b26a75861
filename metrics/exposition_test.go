package metrics

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestExposition(t *testing.T) {
	difftest.Golden(t, "testdata/exposition.txt", string(text(t, exposition(sample()))))
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

// The limit of sessions applies to each source.
func TestMaxSessions(t *testing.T) {
	for limit, want := range map[int][]string{
		-1: nil, 0: nil, 1: {"s-0\ufffd", "s-3"}, 2: {"s-0\ufffd", "s-2", "s-3"}, 200: {"s-0\ufffd", "s-2", "s-3"},
	} {
		s := sample()
		s.Live[1].Context = 1 // s-2 has the source of s-3
		e := exposition(s)
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

// Limits have the labels of their source. A limit has no reset time after its reset.
func TestExpositionOfLimits(t *testing.T) {
	e := exposition(ledger.Snapshot{})
	var windows []limits.Window
	e.Limits = func() []limits.Window { return windows }
	ann := string(counters.NewSourceLabels(map[string]string{"user": "ann"}))
	reset := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		windows []limits.Window
		want    string
	}{
		{nil, ""},
		{
			[]limits.Window{{Name: "five_hour", Source: ann, Used: 0.14000000000000002, Resets: reset}, {Name: "seven_day", Source: ann}},
			`claude_limit_reset_timestamp_seconds{user="ann",window="five_hour"} 1.7724528e+09` + "\n" +
				`claude_limit_used_ratio{user="ann",window="five_hour"} 0.14` + "\n" +
				`claude_limit_used_ratio{user="ann",window="seven_day"} 0` + "\n",
		},
		{nil, ""},
	} {
		windows = step.windows
		got := ""
		for line := range strings.Lines(string(text(t, e))) {
			if strings.HasPrefix(line, "claude_limit") {
				got += line
			}
		}
		if got != step.want {
			t.Errorf("limits %+v:\n%s", step.windows, difftest.Diff(step.want, got))
		}
	}
}

// One read may be a person's, two are a server's.
func TestIsUsed(t *testing.T) {
	e := exposition(ledger.Snapshot{})
	for reads, want := range []bool{false, false, true} {
		if got := e.IsUsed(); got != want {
			t.Errorf("after %d reads: got %v", reads, got)
		}
		gather(t, gatherer(e))
	}
}
