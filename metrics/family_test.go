package metrics

import (
	"errors"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// Every scrape reports the series that cannot be exposed, and contains the rest.
func TestInvalidSeries(t *testing.T) {
	source := func(name, value string) counters.SourceLabels {
		return counters.NewSourceLabels(map[string]string{name: value})
	}
	for _, test := range []struct {
		name   string
		change func(*ledger.Snapshot)
		want   error
		left   int // of three series of claude_tool_calls_total
	}{
		{"nothing", func(*ledger.Snapshot) {}, nil, 3},
		{"a label of the family", func(s *ledger.Snapshot) { s.Families[0].Samples[0].Source = source("tool", "x") }, errInvalid, 0},
		{"a reserved label name", func(s *ledger.Snapshot) { s.Families[0].Samples[0].Source = source("__x", "x") }, errInvalid, 0},
		{"an empty label name", func(s *ledger.Snapshot) { s.Families[0].Samples[0].Source = source("", "x") }, errInvalid, 0},
		{"a source that is not UTF-8", func(s *ledger.Snapshot) { s.Families[0].Samples[0].Source = source("user", "x\xff") }, errInvalid, 2},
		{"a label that is not UTF-8", func(s *ledger.Snapshot) { s.Families[0].Samples[2].Labels[0] = "\xff" }, errInvalid, 2},
		{"a duplicate", func(s *ledger.Snapshot) { s.Families[0].Samples[1].Source = s.Families[0].Samples[0].Source }, errDuplicate, 2},
		{"a duplicate except for an empty label", func(s *ledger.Snapshot) {
			s.Families[0].Samples[1] = s.Families[0].Samples[2]
			s.Families[0].Samples[1].Source = source("host", "")
		}, errDuplicate, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := sample()
			test.change(&s)
			e := gatherer(exposition(s))
			for range 2 {
				all, err := e.Gather()
				if !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				series := make(map[string]int)
				for _, f := range all {
					series[f.GetName()] = len(f.GetMetric())
				}
				if got := series["claude_tool_calls_total"]; got != test.left {
					t.Errorf("got %d series, want %d", got, test.left)
				}
				if got := series["ccwatchd_read_bytes_total"]; got != 1 {
					t.Errorf("got %d series of another family, want 1", got)
				}
			}
		})
	}
}

// No family of the ledger shares its name with a family of the daemon or the library.
func TestNamesAreUnique(t *testing.T) {
	l := newBusyLedger(t, 1)
	l.sessions(1)
	e := newScraped().shown
	e.Provider = l
	e.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	all, err := gatherer(e).Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(all)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) || len(names) < 50 {
		t.Errorf("got %d names, of which %d are unique: %q", len(names), len(unique), names)
	}
}

func namesOf(all []*dto.MetricFamily) (names []string) {
	for _, f := range all {
		names = append(names, f.GetName())
	}
	return names
}
