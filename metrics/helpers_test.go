package metrics

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A fixedProvider always provides the same snapshot, and counts the calls.
type fixedProvider struct {
	snapshot ledger.Snapshot
	blocked  bool // nothing may be exposed
	calls    atomic.Int64
}

func (p *fixedProvider) SnapshotInto(to *ledger.Snapshot) bool {
	p.calls.Add(1)
	if !p.blocked {
		*to = p.snapshot
	}
	return !p.blocked
}

// exposition returns an Exposition of a snapshot, with an empty registry.
func exposition(s ledger.Snapshot) *Exposition {
	return &Exposition{Provider: &fixedProvider{snapshot: s}, Registry: prometheus.NewRegistry()}
}

// gatherer returns a Gatherer whose families are valid until the next call.
func gatherer(e *Exposition) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, done, err := e.Gather()
		defer done()
		return families, err
	})
}

func gather(t *testing.T, g prometheus.Gatherer) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*dto.MetricFamily, len(all))
	for _, f := range all {
		byName[f.GetName()] = f
	}
	return byName
}

func lint(t *testing.T, g prometheus.Gatherer) {
	t.Helper()
	all, err := g.Gather()
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d families, error %v", len(all), err)
	}
	problems, err := promlint.NewWithMetricFamilies(all).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func text(t *testing.T, e *Exposition) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// born is the created timestamp of the sample snapshot.
const born = int64(1_767_225_600_123) // 2026-01-01T00:00:00.123Z

// sample is a snapshot with series of every type, with sources that add different
// labels, and with a tool whose name needs escaping.
func sample() ledger.Snapshot {
	alice := counters.NewSourceLabels(map[string]string{"user": "alice"})
	lab := counters.NewSourceLabels(map[string]string{"user": "bob", "host": "lab"})
	return ledger.Snapshot{
		Families: []counters.FamilySamples{
			{
				Family: &counters.Family{Name: "claude_tool_calls_total", Help: "Tool calls.", Labels: []string{"tool", "mcp_server", "project", "agent"}, Sourced: true},
				Samples: []counters.Sample{
					{Labels: []string{"Bash", "", "shop", "main"}, Source: alice, Value: 12, Created: born},
					{Labels: []string{"Bash", "", "shop", "main"}, Source: lab, Value: 1, Created: born + 1000},
					{Labels: []string{"Task\" >\n<parameter name=\"x\\y", "", "shop", "main"}, Value: 1, Created: born},
				},
			},
			{
				Family: &counters.Family{Name: "claude_tool_duration_seconds", Help: "Time from call to result.", Type: counters.Histogram, PerUnit: 1000, Buckets: []float64{0.1, 1, 10}, Labels: []string{"tool", "mcp_server"}, Sourced: true},
				Samples: []counters.Sample{
					{Labels: []string{"Bash", ""}, Source: alice, Value: 9, Sum: 31869, Counts: []uint64{4, 3, 0, 2}, Created: born},
				},
			},
			{
				Family: &counters.Family{Name: "claude_last_activity_timestamp_seconds", Help: "Time of the newest line.", Type: counters.Gauge, PerUnit: 1000, Labels: []string{"project"}, Sourced: true},
				Samples: []counters.Sample{
					{Labels: []string{"shop"}, Source: alice, Value: uint64(born)},
					{Labels: []string{"idle"}, Source: alice, Value: uint64(born) - 86_400_000},
				},
			},
			{
				Family:  &counters.Family{Name: "ccwatchd_read_bytes_total", Help: "Bytes read."},
				Samples: []counters.Sample{{Value: 1 << 40, Created: born}},
			},
		},
		Live: []ledger.Session{
			{ID: "s-3", Project: "shop", Source: alice, Model: "opus", Context: 180_000, Last: born + 3},
			{ID: "s-2", Project: "shop", Source: alice, Last: born + 2},                                 // no request yet
			{ID: "s-\x003", Project: "shop", Source: alice, Model: "opus", Context: 1, Last: born + 2},  // an id that looks like the first
			{Project: "shop", Source: lab, Model: "opus", Context: 5, Last: born + 1},                   // unknown id
			{ID: "s-\x000\xff", Project: "new", Source: lab, Model: "haiku", Context: 7000, Last: born}, // id with invalid characters
		},
		Active: []ledger.Active{
			{Project: "shop", Source: alice, Sessions: 2},
			{Project: "shop", Source: lab, Sessions: 1},
			{Project: "new", Source: lab, Sessions: 1},
		},
		Unsettled: 2,
		DedupKeys: map[string]int{"message": 200_000, "tool_call": 7, "prompt": 0},
	}
}

// A ledgerProvider provides the snapshots of a ledger at the time born.
type ledgerProvider struct{ *ledger.Ledger }

func (p ledgerProvider) SnapshotInto(to *ledger.Snapshot) bool {
	p.Ledger.SnapshotInto(to, born)
	return true
}
