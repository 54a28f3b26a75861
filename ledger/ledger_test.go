package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

const (
	unfinishedMessage = `{"type":"assistant","message":{"id":"m1","model":"m","usage":{"output_tokens":1}}}`
	finalMessage      = `{"type":"assistant","message":{"id":"m1","model":"m","stop_reason":"end_turn","usage":{"output_tokens":1}}}`
)

func TestUnknownFile(t *testing.T) {
	l := New(testOptions(), birth)
	l.AddBatch(batchOf(testFile(7, "a.jsonl"), birth, `{"type":"user","message":{"content":"hi"}}`))
	l.FinalizeFile(7, birth)
	l.Reset(7, Replaced, birth)
	l.Forget([]FileID{7}, birth)
	if l.HasPending(7) || value(l, "claude_prompts_total")+value(l, "ccwatchd_read_bytes_total") != 0 || value(l, "ccwatchd_file_resets_total") != 1 {
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

// Families whose label values are all known in advance have series from the start.
func TestInitialSeries(t *testing.T) {
	text := exposition(New(testOptions(), birth).Snapshot(birth), func(*counters.Family) bool { return true }, true)
	for _, want := range []string{
		`claude_api_errors_total{error="rate_limit"} 0`, `ccwatchd_line_errors_total{reason="torn"} 0`,
		`ccwatchd_unknown_format_total{kind="usage_key"} 0`, `ccwatchd_file_resets_total{reason="truncated"} 0`, `ccwatchd_read_bytes_total 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing %s in\n%s", want, difftest.Head(text))
		}
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
		t.Errorf("the snapshot has changed:\n%s", difftest.Diff(before, after))
	}
	if !strings.Contains(shown(l.Snapshot(birth)), `claude_turn_duration_seconds_bucket{le="3"} 1`) {
		t.Errorf("missing the bucket 3 in\n%s", difftest.Head(shown(l.Snapshot(birth))))
	}
}
