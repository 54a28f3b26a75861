package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestExposition(t *testing.T) {
	golden(t, "testdata/exposition.txt", text(t, exposition(sample())))
}

func TestExpositionOfALedger(t *testing.T) {
	l := ledger.New(defaults(t), born)
	e := &Exposition{Provider: ledgerSource{l}, Registry: prometheus.NewRegistry()}
	lint(t, gatherer(e))
	families := gather(t, gatherer(e))
	if got, want := len(families["claude_api_errors_total"].GetMetric()), len(transcript.ErrorClasses); got != want {
		t.Errorf("got %d series of errors that stand at zero, want %d", got, want)
	}
}

func TestNothingBeforeCaughtUp(t *testing.T) {
	source := &fixedSource{snapshot: sample()}
	e := &Exposition{Provider: source, Registry: prometheus.NewRegistry()}
	NewDaemon(e.Registry)                              // which is not exposed alone either
	for _, notYet := range []bool{true, false, true} { // a daemon that ends shows nothing either
		source.notYet = notYet
		if got := text(t, e); (len(got) == 0) != notYet {
			t.Errorf("not yet is %v: got %q", notYet, got)
		}
	}
}

func TestOneSnapshotAScrape(t *testing.T) {
	source := &fixedSource{snapshot: sample()}
	gather(t, gatherer(&Exposition{Provider: source, Registry: prometheus.NewRegistry()}))
	if asked := source.asked.Load(); asked != 1 {
		t.Errorf("a scrape took %d snapshots, want 1", asked)
	}
}

func TestScrapesAtTheSameTime(t *testing.T) {
	e := exposition(sample())
	want := string(text(t, e))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var b strings.Builder
			if err := e.WriteText(&b); err != nil || b.String() != want {
				t.Errorf("a scrape among others differs, error %v", err)
			}
		})
	}
	all.Wait()
}

func TestSourceLabels(t *testing.T) {
	for name, series := range map[string][]string{
		"claude_tool_calls_total":       {`host="" user=""`, `host="" user="alice"`, `host="lab" user="bob"`},
		"claude_session_context_tokens": {`host="" user="alice"`, `host="lab" user="bob"`},
		"ccwatchd_read_bytes_total":     {``},
	} {
		f := gather(t, gatherer(exposition(sample())))[name]
		var got []string
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				if slices.Contains([]string{"host", "user"}, l.GetName()) {
					labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
				}
			}
			got = append(got, strings.Join(labels, " "))
		}
		slices.Sort(got)
		if !slices.Equal(got, series) {
			t.Errorf("%s: got %q, want %q", name, got, series)
		}
	}
}

func TestNoSourceLabels(t *testing.T) {
	s := ledger.Snapshot{Families: []ledger.FamilySamples{{
		Family:  &ledger.Family{Name: "claude_sessions_total", Help: "Sessions.", Labels: []string{"project"}, Sourced: true},
		Samples: []ledger.Sample{{Labels: []string{"shop"}, Value: 3, Created: born}},
	}}}
	if got, want := string(text(t, exposition(s))), "claude_sessions_total{project=\"shop\"} 3\n"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

// What a source adds is checked where it is configured. If it is wrong all the
// same, the family is missing and the others are not.
func TestSourceLabelThatAFamilyHas(t *testing.T) {
	s := sample()
	s.Families[0].Samples[0].Source = ledger.NewSourceLabels(map[string]string{"tool": "mine"})
	all, err := gatherer(exposition(s)).Gather()
	if err == nil {
		t.Error("got no error")
	}
	if !slices.ContainsFunc(all, func(f *dto.MetricFamily) bool { return f.GetName() == "ccwatchd_read_bytes_total" }) {
		t.Error("another family is missing")
	}
}

func TestCreatedTimestamps(t *testing.T) {
	families := gather(t, gatherer(exposition(sample())))
	at := time.UnixMilli(born)
	for _, m := range families["claude_tool_calls_total"].GetMetric() {
		want := at
		if value(m, "host") == "lab" {
			want = at.Add(time.Second)
		}
		if got := m.GetCounter().GetCreatedTimestamp().AsTime(); !got.Equal(want) {
			t.Errorf("counter: got %v, want %v", got, want)
		}
	}
	h := families["claude_tool_duration_seconds"].GetMetric()[0].GetHistogram()
	if got := h.GetCreatedTimestamp().AsTime(); !got.Equal(at) {
		t.Errorf("histogram: got %v, want %v", got, at)
	}
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
	for most, want := range map[int][]string{
		-1: nil, 0: nil, 1: {"s-3"}, 2: {"s-0\ufffd", "s-3"}, 200: {"s-0\ufffd", "s-3"},
	} {
		e := exposition(sample())
		e.MaxSessions = func() int { return most }
		var got []string
		for _, m := range gather(t, gatherer(e))["claude_session_context_tokens"].GetMetric() {
			got = append(got, value(m, "session"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("at most %d: got %q, want %q", most, got, want)
		}
	}
}

func TestInUnit(t *testing.T) {
	for _, test := range []struct {
		v     uint64
		scale float64
		want  float64
	}{
		{7, 0, 7},
		{7, 1, 7},
		{31869, 0.001, 31.869},
		{1_767_225_600_123, 0.001, 1767225600.123},
		{3, 0.1, 0.3},
		{5, 60, 300},
		{1 << 53, 1, 9007199254740992},
	} {
		if got := inUnit(test.v, test.scale); got != test.want {
			t.Errorf("inUnit(%d, %v): got %v, want %v", test.v, test.scale, got, test.want)
		}
	}
}
