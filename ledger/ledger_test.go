package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
)

const (
	unfinishedMessage = `{"type":"assistant","message":{"id":"m1","model":"m","usage":{"output_tokens":1}}}`
	finalMessage      = `{"type":"assistant","message":{"id":"m1","model":"m","stop_reason":"end_turn","usage":{"output_tokens":1}}}`
)

// batchOf returns a batch of some lines of a file, read at the time now.
func batchOf(f File, now int64, lines ...string) *Batch {
	var all [][]byte
	for _, l := range lines {
		all = append(all, []byte(l))
	}
	return parsed(f, all, 0, len(all), now)
}

// value returns the sum of all series of a family.
func value(l *Ledger, id familyID) (sum uint64) {
	for _, s := range l.tables[id].series {
		sum += s.Value
	}
	return sum
}

func TestUnknownFile(t *testing.T) {
	l := New(testOptions(), birth)
	l.AddBatch(batchOf(testFile(7, "a.jsonl"), birth, `{"type":"user","message":{"content":"hi"}}`))
	l.FinalizeFile(7, birth)
	l.Reset(7, Replaced, birth)
	l.Forget([]FileID{7}, birth)
	if l.HasPending(7) || value(l, prompts)+value(l, readBytes) != 0 || value(l, fileResets) != 1 {
		t.Error("counted a file that was never opened")
	}
}

func TestHasPending(t *testing.T) {
	const (
		result    = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}`
		assistant = `{"type":"assistant","message":{}}`
		user      = `{"type":"user","message":{"content":"hi"}}`
	)
	for _, tt := range []struct {
		name, file string
		lines      []string
		want       bool
	}{
		{"nothing", "a.jsonl", nil, false},
		{"a message that is not final", "a.jsonl", []string{unfinishedMessage}, true},
		{"a final message", "a.jsonl", []string{unfinishedMessage, finalMessage}, false},
		{"a result without its call", "a.jsonl", []string{result}, true},
		{"a main conversation", "a.jsonl", []string{assistant}, false},
		{"a sub-agent without a prompt", "agent-1.jsonl", []string{assistant}, true},
		{"a sub-agent with one", "agent-1.jsonl", []string{assistant, user}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := testFile(1, tt.file)
			for _, reset := range []bool{false, true} {
				l := New(testOptions(), birth)
				openWith(l, f, tt.lines...)
				l.Settle()
				want := tt.want
				if reset {
					l.Reset(1, Truncated, birth)
					want = want && tt.name != "a sub-agent without a prompt"
				}
				if got := l.HasPending(1); got != want {
					t.Errorf("got %v, want %v (reset: %v)", got, want, reset)
				}
				l.FinalizeFile(1, birth)
				if l.HasPending(1) || l.Unsettled() != 0 {
					t.Errorf("a finalized file has pending data (reset: %v)", reset)
				}
			}
		})
	}
}

func TestFamilies(t *testing.T) {
	o := testOptions()
	all := Families(o)
	if len(all) != int(familyCount) {
		t.Fatalf("got %d families, want %d", len(all), familyCount)
	}
	names := make(map[string]bool)
	for _, f := range all {
		if names[f.Name] {
			t.Errorf("got %s twice", f.Name)
		}
		names[f.Name] = true
		if f.Type == Counter && !strings.HasSuffix(f.Name, "_total") {
			t.Errorf("counter %s does not end in _total", f.Name)
		}
		if f.Sourced != strings.HasPrefix(f.Name, "claude_") || !f.Sourced && !strings.HasPrefix(f.Name, "ccwatchd_") {
			t.Errorf("%s has the wrong prefix", f.Name)
		}
		if !strings.HasSuffix(f.Help, ".") {
			t.Errorf("help of %s: got %q, want a period at the end", f.Name, f.Help)
		}
		if !slices.Equal(f.Buckets, o.Buckets[f.Name]) {
			t.Errorf("buckets of %s: got %v, want %v", f.Name, f.Buckets, o.Buckets[f.Name])
		}
	}
	for name := range o.Buckets {
		if !names[name] {
			t.Errorf("missing %s", name)
		}
	}
}

// Families whose label values are all known in advance have series from the start.
func TestInitialSeries(t *testing.T) {
	text := exposition(New(testOptions(), birth).Snapshot(birth), func(*counters.Family) bool { return true }, true)
	for _, want := range []string{
		`claude_api_errors_total{error="rate_limit"} 0`, `ccwatchd_line_errors_total{reason="torn"} 0`,
		`ccwatchd_unknown_format_total{kind="usage_key"} 0`, `ccwatchd_file_resets_total{reason="truncated"} 0`, `ccwatchd_read_bytes_total 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing %s in\n%s", want, text)
		}
	}
}

// A duration that equals a bound is at most the bound, also if 0.001 times its
// milliseconds is more: 700 * 0.001 > 0.7.
func TestObservationAtBound(t *testing.T) {
	l := New(Options{Buckets: map[string][]float64{"claude_tool_duration_seconds": {0.009, 0.7}}}, birth)
	for _, ms := range []uint64{9, 700, 701} {
		l.observe(toolDuration, ms, birth, "", "Bash", "")
	}
	if got := l.tables[toolDuration].inOrder[0].Counts; !slices.Equal(got, []uint64{1, 1, 1}) {
		t.Errorf("got %v, want one in each bucket", got)
	}
}

func TestRebucket(t *testing.T) {
	for _, tt := range []struct {
		name   string
		old    []float64
		counts []uint64
		bounds []float64
		want   []uint64
	}{
		{name: "the same", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: []float64{1, 5}, want: []uint64{2, 3, 4}},
		{name: "one fewer", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: []float64{5}, want: []uint64{5, 4}},
		{name: "without the largest", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: []float64{1}, want: []uint64{2, 7}},
		{name: "one more in the middle", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: []float64{1, 2, 5}, want: []uint64{2, 0, 3, 4}},
		{name: "others", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: []float64{2, 4, 8}, want: []uint64{2, 0, 3, 4}},
		{name: "none", old: []float64{1, 5}, counts: []uint64{2, 3, 4}, bounds: nil, want: []uint64{9}},
		{name: "none before", old: nil, counts: []uint64{9}, bounds: []float64{1}, want: []uint64{0, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rebucket(tt.old, tt.counts, tt.bounds); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A snapshot does not change with the configuration.
func TestSnapshotIsIndependent(t *testing.T) {
	turn := `{"type":"system","subtype":"turn_duration","durationMs":2000,"uuid":"%d"}`
	l := newWith(fmt.Sprintf(turn, 1))
	releaseAll(l)
	shown := func(s Snapshot) string { return exposition(s, func(*counters.Family) bool { return true }, true) }
	s := l.Snapshot(birth)
	before := shown(s)
	o := testOptions()
	o.Buckets["claude_turn_duration_seconds"] = []float64{1, 2, 3}
	l.Configure(o)
	l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, fmt.Sprintf(turn, 2)))
	if after := shown(s); after != before {
		t.Errorf("got\n%s\nwant\n%s", after, before)
	}
	if !strings.Contains(shown(l.Snapshot(birth)), `claude_turn_duration_seconds_bucket{le="3"} 1`) {
		t.Errorf("missing the bucket 3 in\n%s", shown(l.Snapshot(birth)))
	}
}

func TestSourceLabels(t *testing.T) {
	for _, labels := range []map[string]string{{}, {"user": "ann"}, {"user": "ann", "host": "", "äöü": `"\`}} {
		s := counters.NewSourceLabels(labels)
		if got := s.Labels(); !reflect.DeepEqual(got, labels) {
			t.Errorf("got %v, want %v", got, labels)
		}
	}
	if counters.NewSourceLabels(nil) != "" || counters.NewSourceLabels(map[string]string{"a": "b", "c": "d"}) != counters.NewSourceLabels(map[string]string{"c": "d", "a": "b"}) {
		t.Error("equal labels gave different values")
	}
}
