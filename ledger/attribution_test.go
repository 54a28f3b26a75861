package ledger

import (
	"math"
	"strconv"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// sumOf returns the sum of the series of a family whose label has a value.
func sumOf(l *Ledger, f familyID, label, value string) (n uint64) {
	t := &l.tables[f]
	for _, s := range t.series {
		for i, name := range t.Labels {
			if name == label && s.Labels[i] == value || label == "" {
				n += s.Value
				break
			}
		}
	}
	return n
}

// checkAttributions checks that what is counted by type is what is counted for the
// agent subagent, and that every counted transcript of a finalized file is a run. It
// returns the smallest of these counts.
func checkAttributions(t *testing.T, l *Ledger) (least uint64) {
	t.Helper()
	least = sumOf(l, subagentRuns, "", "")
	for _, tt := range []struct{ part, whole familyID }{
		{subagentRequests, requests},
		{subagentTokens, tokens},
		{subagentCost, cost},
		{subagentToolCalls, toolCalls},
	} {
		got, want := sumOf(l, tt.part, "", ""), sumOf(l, tt.whole, "agent", "subagent")
		if least = min(least, got); got != want {
			t.Errorf("%s: got %d, want %d", l.tables[tt.part].Name, got, want)
		}
	}
	if got, want := sumOf(l, subagentRuns, "", ""), sumOf(l, subagents, "", ""); got != want || len(l.runs) > 0 {
		t.Errorf("got %d runs and %d open ones, want %d", got, len(l.runs), want)
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

// Made-up combinations of labels do not add to memory without bound, and what is
// counted beyond goes to few series.
func TestAttributionsAreLimited(t *testing.T) {
	l := New(testOptions(), birth)
	for i := range maxAttributions {
		l.attributionID(attribution{skill: strconv.Itoa(i)})
	}
	first, next := l.attributionID(attribution{skill: "0"}), l.attributionID(attribution{skill: "x", plugin: "y"})
	if got := l.attributionOf(first); got.skill != "0" {
		t.Errorf("got %+v for a known attribution", got)
	}
	if got := l.attributionOf(next); got != (attribution{skill: counters.Other, plugin: counters.Other}) {
		t.Errorf("got %+v, want the overflow", got)
	}
	known := messageLabels{model: "known", attribution: first}
	l.messageLabels.id(known)
	for i := range maxMessageLabels {
		l.messageLabels.id(messageLabels{project: strconv.Itoa(i)})
	}
	if got := l.limitAttributions(known, birth); got != known {
		t.Errorf("got %+v for known labels", got)
	}
	if got := l.limitAttributions(messageLabels{project: "new"}, birth); got.attribution != 0 {
		t.Errorf("got %+v for labels without an attribution", got)
	}
	got := l.limitAttributions(messageLabels{model: "new", attribution: first}, birth)
	if l.attributionOf(got.attribution) != (attribution{skill: counters.Other}) || got.model != "new" {
		t.Errorf("got %+v, want the overflow", got)
	}
	if n := sumOf(l, labelOverflow, "label", combined); n != 1 {
		t.Errorf("got %d overflows, want 1", n)
	}
	before := len(l.messageLabels.values)
	openWith(l, testFile(1, "a.jsonl"), `{"type":"assistant","attributionSkill":"Explore","message":{"id":"m1","model":"opus","stop_reason":"end_turn","usage":{"output_tokens":1}}}`)
	l.Settle()
	if sumOf(l, attributedRequests, "skill", counters.Other) != 1 || len(l.messageLabels.values) > before+2 {
		t.Error("a message beyond the limit is not counted as other")
	}
}

// A message that a version without attributions counted has none: its corrections are
// not counted by type.
func TestAttributionOfOlderVersion(t *testing.T) {
	const line = `{"type":"assistant","attributionSkill":"review","message":{"id":"m1","model":"opus","stop_reason":"end_turn","usage":{"output_tokens":9}}}`
	f := testFile(1, "agent-1.jsonl")
	l := New(testOptions(), birth)
	l.Open(f)
	lc := &lineContext{id: f.ID, agent: subagentLabel}
	l.hold(1, heldMessage{file: f.ID, labels: l.messageLabels.id(lc.labels())}, &transcript.Message{Key: keyOf(1), Model: "opus"}, circumstances{})
	l.ready = append(l.ready, keyOf(1))
	l.Settle()
	l.AddBatch(batchOf(f, birth, line))
	l.Settle()
	if n := sumOf(l, subagentRequests, "", ""); n != 1 {
		t.Errorf("got %d requests by type, want that of the new message", n)
	}
	if n := sumOf(l, subagentTokens, "type", ""); n != 0 {
		t.Errorf("got %d tokens without a type", n)
	}
}

// A state that does not fit is refused.
func TestInvalidRuns(t *testing.T) {
	valid := openRun{first: 1, last: 2, end: runInterrupted, answer: ends}
	for want, change := range map[string]func(*Ledger, *openRun){
		"":        func(*Ledger, *openRun) {},
		"end":     func(_ *Ledger, r *openRun) { r.end = runEnds },
		"answer":  func(_ *Ledger, r *openRun) { r.answer = ends + 1 },
		"times":   func(_ *Ledger, r *openRun) { r.first = math.MaxInt64 },
		"unknown": func(l *Ledger, _ *openRun) { l.messageLabels.id(messageLabels{attribution: 7}) },
	} {
		l := New(testOptions(), birth)
		l.Open(testFile(1, "agent-1.jsonl"))
		r := valid
		l.runs[1] = &r
		change(l, &r)
		if err := decode(New(Options{}, 0), encode(l)); (err == nil) != (want == "") {
			t.Errorf("%s: got %v", want, err)
		}
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
		if len(l.runs) > 0 || l.HasPending(f.ID) {
			t.Errorf("an open run is left (reset: %v)", reset)
		}
	}
}
