package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// everySession selects all sessions.
var everySession = SessionQuery{Limit: math.MaxInt, Since: math.MinInt64}

// countedTotals returns what the counters contain of the numbers that sessions have.
func countedTotals(l *Ledger) (n sessionCounts) {
	releaseAll(l)
	for _, f := range l.Snapshot(birth).Families {
		index, ok := countedFamilies[f.Family.Name]
		for _, s := range f.Samples {
			if f.Family.Name == "claude_tokens_total" {
				index, ok = countedTokens[s.Labels[0]]
			}
			if ok {
				n[index] += s.Value
			}
		}
	}
	return n
}

// checkSums compares the totals of sessions with the counters.
func checkSums(t *testing.T, when string, l *Ledger) {
	t.Helper()
	if got, want := sessionSums(l), countedTotals(l); got != want {
		t.Fatalf("%s: got totals of sessions %d, want %d", when, got, want)
	}
}

// sessionSums returns the sums of the totals of all sessions.
func sessionSums(l *Ledger) (n sessionCounts) {
	for session, t := range l.sessions.totals.All() {
		n = n.plus(l.sessions.total(session, &t))
	}
	return n
}

// The totals of all sessions grow with the counters, at every step, whatever happens:
// copies, corrections, files that are read again, changed prices.
func TestSessionTotalsAddUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	var all sessionCounts
	for seed := range uint64(40) {
		l := New(testOptions(), birth)
		var counted, summed sessionCounts
		for i, s := range newReplayer(seed, seed).randomSteps(120) {
			files := maps.Collect(l.files.All())
			s(l)
			nowCounted, nowSummed := countedTotals(l), sessionSums(l)
			for f := range l.files.All() {
				delete(files, f)
			}
			for n := range sessionCountsLen {
				if forgot := len(files) > 0; !forgot && nowCounted[n]-counted[n] != nowSummed[n]-summed[n] {
					t.Fatalf("seed %d, step %d: count %d: the counters grew by %d, the sessions by %d",
						seed, i, n, nowCounted[n]-counted[n], nowSummed[n]-summed[n])
				}
			}
			counted, summed = nowCounted, nowSummed
		}
		all = all.plus(summed)
	}
	if slices.Contains(all[:], 0) {
		t.Errorf("got no events of some kind: %d", all)
	}
}

// The totals of a session do not depend on batches, on when messages settle, and on
// restarts.
func TestSessionTotalsAreStable(t *testing.T) {
	list := func(l *Ledger) SessionList {
		all := l.SessionList(everySession, birth)
		slices.SortFunc(all.Sessions, func(a, b SessionTotals) int { return cmp.Compare(a.ID, b.ID) })
		return all
	}
	for seed := range seeds() {
		once := newReplayer(seed, 0).readInOrder(math.MaxInt32, afterFiles)
		checkSums(t, fmt.Sprint("seed ", seed), once)
		want := list(once)
		if len(want.Sessions) == 0 {
			t.Fatal("got no sessions")
		}
		if got := list(newReplayer(seed, 0).readInOrder(2, afterFiles)); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: in batches of 2, compared with all at once:\n%s", seed, difftest.Diff(want, got))
		}
		again := reopened(t, once)
		for _, s := range want.Sessions {
			again.NameSession(SessionID{ID: s.ID})
		}
		if got := list(again); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: reopened:\n%s", seed, difftest.Diff(want, got))
		}
	}
}

// sessionLine returns a line of a session at some minute after ten.
func sessionLine(session, at, rest string) string {
	return fmt.Sprintf(`{"sessionId":%q,"timestamp":"2026-05-01T10:%s:00Z","cwd":"/p/%[1]s","uuid":"%[1]s%[2]s",%[3]s}`, session, at, rest)
}

func answerOf(id string, in, out int, more string) string {
	return fmt.Sprintf(`"type":"assistant","message":{"id":%q,"model":"opus",%s"usage":{"input_tokens":%d,"output_tokens":%d,`+
		`"cache_read_input_tokens":5,"cache_creation_input_tokens":7}}`, id, more, in, out)
}

const (
	asked   = `"type":"user","message":{"role":"user","content":"hi"}`
	called  = `"stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}],`
	failed  = `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}`
	stopped = `"stop_reason":"end_turn",`
)

// listed returns the sessions of a ledger by id.
func listed(l *Ledger, now int64) map[string]SessionTotals {
	all := make(map[string]SessionTotals)
	for _, s := range l.SessionList(everySession, now).Sessions {
		all[s.ID] = s
	}
	return all
}

// A message that a fork copies belongs to the session of its first line, and so do the
// sub-agents of a session. A correction belongs to the session that corrects.
func TestSessionTotals(t *testing.T) {
	now := millis(t, "2026-05-01T12:00:00Z")
	l := New(testOptions(), birth)
	main, fork, agent := testFile(1, "a.jsonl"), testFile(2, "b.jsonl"), testFile(3, "agent-1.jsonl")
	for _, f := range []File{main, fork, agent} {
		l.Open(f)
	}
	l.AddBatch(batchOf(main, now, sessionLine("a", "01", asked), sessionLine("a", "02", answerOf("m1", 10, 2, called)), sessionLine("a", "03", failed)))
	l.AddBatch(batchOf(fork, now, sessionLine("b", "02", answerOf("m1", 10, 2, called)), sessionLine("b", "03", failed),
		sessionLine("b", "05", answerOf("m2", 20, 3, ""))))
	l.AddBatch(batchOf(agent, now, sessionLine("a", "04", answerOf("m3", 1000, 1, stopped))))
	l.FinalizeFile(fork.ID, now)
	l.AddBatch(batchOf(main, now, sessionLine("a", "06", answerOf("m2", 20, 30, stopped)))) // a correction
	l.Settle()
	at := func(minute string) int64 { return millis(t, "2026-05-01T10:"+minute+":00Z") }
	want := map[string]SessionTotals{
		"a": {
			Session: Session{ID: "a", Project: "a", Model: "opus", Context: 32, Last: at("06")}, First: at("01"),
			Requests: 2, Prompts: 1, ToolCalls: 1, ToolErrors: 1,
			Input: 1010, Output: 2 + 1 + 27, CacheRead: 10, CacheWrite5m: 14, NanoUSD: 1010*5000 + 30*25_000 + 10*500 + 14*6250,
		},
		"b": {
			Session: Session{ID: "b", Project: "b", Model: "opus", Context: 32, Last: at("05")}, First: at("02"),
			Requests: 1, Input: 20, Output: 3, CacheRead: 5, CacheWrite5m: 7, NanoUSD: 20*5000 + 3*25_000 + 5*500 + 7*6250,
		},
	}
	if got := listed(l, now); !reflect.DeepEqual(got, want) {
		t.Errorf("sessions differ:\n%s", difftest.Diff(want, got))
	}
	checkSums(t, "corrected", l)
}

// An orphan's error belongs to the session of its line, after a restart too.
func TestSessionOfOrphan(t *testing.T) {
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "a.jsonl"), sessionLine("a", "01", asked), sessionLine("a", "02", failed))
	l = reopened(t, l)
	l.NameSession(SessionID{ID: "a"})
	l.FinalizeFile(1, birth)
	if s := listed(l, birth)["a"]; s.ToolErrors != 1 {
		t.Errorf("got %+v, want 1 tool error", s)
	}
}

// A session has the project of its newest line, in whatever order lines are read.
func TestSessionProject(t *testing.T) {
	l := New(testOptions(), birth)
	line := func(project, at string) string {
		return strings.Replace(sessionLine("a", at, asked), "/p/a", "/p/"+project, 1)
	}
	openWith(l, testFile(1, "a.jsonl"), line("middle", "02"), line("new", "05"), line("old", "01"), line("older", "03"))
	s := listed(l, birth)["a"]
	if at := millis(t, "2026-05-01T10:05:00Z"); s.Project != "new" || s.Last != at || s.First != at-4*60_000 {
		t.Errorf("got %+v", s)
	}
}
