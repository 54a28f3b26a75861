package ledger

import (
	"strconv"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// checkAttributions checks that the counters by type equal the counters of the agent
// subagent, and that every counted transcript of a finalized file is a run. It
// returns the smallest of these counts.
func checkAttributions(t *testing.T, l *Ledger) (least uint64) {
	t.Helper()
	least = value(l, "claude_subagent_runs_total")
	for _, tt := range []struct{ part, whole string }{
		{"claude_subagent_requests_total", "claude_requests_total"},
		{"claude_subagent_tokens_total", "claude_tokens_total"},
		{"claude_subagent_cost_usd_total", "claude_cost_usd_total"},
		{"claude_subagent_tool_calls_total", "claude_tool_calls_total"},
	} {
		got, want := value(l, tt.part), value(l, tt.whole, subagentLabel)
		if least = min(least, got); got != want {
			t.Errorf("%s: got %d, want %d", tt.part, got, want)
		}
	}
	if got, want := value(l, "claude_subagent_runs_total"), value(l, "claude_subagents_total"); got != want || l.agents.runs.Len() > 0 {
		t.Errorf("got %d runs and %d open ones, want %d", got, l.agents.runs.Len(), want)
	}
	return least
}

func TestAttributionsAddUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	some := false
	for seed := range seeds() {
		for order := range uint64(4) {
			l := New(testOptions(), birth)
			for i, s := range newReplayer(seed, order).readAll(1+int(order)*3, order%2 == 0, order%3 != 0) {
				if s(l); i%17 == 0 {
					l = reopened(t, l)
				}
			}
			some = checkAttributions(t, l) > 0 || some
		}
	}
	if !some {
		t.Error("no seed has everything")
	}
}

// Made-up combinations of labels do not add to memory without bound, and overflow into
// few series.
func TestAttributionsAreLimited(t *testing.T) {
	l := New(testOptions(), birth)
	p := l.messages.attributor
	for i := range maxAttributions {
		p.attributionID(attribution{skill: strconv.Itoa(i)})
	}
	first, next := p.attributionID(attribution{skill: "0"}), p.attributionID(attribution{skill: "x", plugin: "y"})
	if got := p.attributionOf(first); got.skill != "0" {
		t.Errorf("got %+v for a known attribution", got)
	}
	if got := p.attributionOf(next); got != (attribution{skill: counters.Other, plugin: counters.Other}) {
		t.Errorf("got %+v, want the overflow", got)
	}
	known := messageLabels{model: "known", attribution: first}
	l.labelSets.ID(known)
	for i := range maxMessageLabels {
		l.labelSets.ID(messageLabels{project: strconv.Itoa(i)})
	}
	if got := l.messages.limitAttributions(known, birth); got != known {
		t.Errorf("got %+v for known labels", got)
	}
	if got := l.messages.limitAttributions(messageLabels{project: "new"}, birth); got.attribution != 0 {
		t.Errorf("got %+v for labels without an attribution", got)
	}
	got := l.messages.limitAttributions(messageLabels{model: "new", attribution: first}, birth)
	if p.attributionOf(got.attribution) != (attribution{skill: counters.Other}) || got.model != "new" {
		t.Errorf("got %+v, want the overflow", got)
	}
	if n := value(l, "ccwatchd_label_overflow_total", "combined"); n != 1 {
		t.Errorf("got %d overflows, want 1", n)
	}
	other := attribution{skill: "x", plugin: "y", source: alice}
	if got := p.attributionOf(p.attributionID(other)); got != other {
		t.Errorf("got %+v for another source, want %+v", got, other)
	}
	otherLabels := messageLabels{model: "new", source: alice, attribution: p.attributionID(other)}
	if got := l.messages.limitAttributions(otherLabels, birth); got != otherLabels {
		t.Errorf("got %+v for another source, want %+v", got, otherLabels)
	}
	before := l.labelSets.Len()
	openWith(l, testFile(1, "a.jsonl"), `{"type":"assistant","attributionSkill":"Explore","message":{"id":"m1","model":"opus","stop_reason":"end_turn","usage":{"output_tokens":1}}}`)
	l.Settle()
	if value(l, "claude_attributed_requests_total", counters.Other) != 1 || l.labelSets.Len() > before+2 {
		t.Error("a message beyond the limit is not counted as other")
	}
}

// A transcript whose run was counted has no open run when it goes on or is read again.
func TestCountedRunIsNotOpen(t *testing.T) {
	const task = `{"type":"user","uuid":"u1","sessionId":"s1","message":{"content":"task"}}`
	f := testFile(1, "agent-1.jsonl")
	l := New(testOptions(), birth)
	openWith(l, f, task)
	l.FinalizeFile(f.ID, birth)
	for _, reset := range []bool{false, true} {
		if reset {
			l.Reset(f.ID, Truncated, birth)
		}
		l.AddBatch(batchOf(f, birth, task))
		if l.agents.runs.Len() > 0 || l.HasPending(f.ID) {
			t.Errorf("an open run is left (reset: %v)", reset)
		}
	}
}
