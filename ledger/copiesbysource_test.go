package ledger

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// streamed returns a record of a message without a stop reason.
func streamed(id string, output int) string {
	return strings.Replace(sourceMessage(id, output), `"end_turn"`, `null`, 1)
}

// copiesOf returns a session that is not over, and a copy of it in another source,
// where its last turn and message end.
func copiesOf() (victim, abuse *transcriptFile) {
	lines := []string{
		sourceLine("user", "u1", "00:01", `,"message":{"content":"x"}`),
		sourceLine("assistant", "u2", "00:02", streamed("1", 100)),
		sourceLine("user", "u3", "00:03", `,"message":{"content":[{"type":"tool_result","tool_use_id":"tool_of_a_genuine_1","content":"y"}]}`),
		sourceLine("assistant", "u4", "00:05", strings.Replace(streamed("2", 50), "tool_use", "text", 1)),
	}
	ends := slices.Concat(lines, []string{sourceLine("user", "a1", "00:09", `,"message":{"content":"z"}`)})
	victim = inSource(otherSource, 1, map[string][]string{"s.jsonl": lines})[0]
	abuse = inSource(testSource, 2, map[string][]string{"s.jsonl": ends})[0]
	return victim, abuse
}

// readWithCopy returns the series of a source after one of its files was read, a copy
// of it in another source, and the file again. forgets is whether the keys of the copy
// are dropped before, as TrimKeys does. Without a copy, abuse is nil.
func readWithCopy(t *testing.T, victim, abuse *transcriptFile, forgets bool) string {
	l, now := New(testOptions(), birth), millis(t, "2026-05-01T10:05:00Z")
	l.Open(victim.file)
	l.AddBatch(victim.batch(len(victim.lines), now))
	l.Settle()
	if abuse != nil {
		l.Open(abuse.file)
		l.AddBatch(abuse.batch(len(abuse.lines), now))
		l.Settle()
		l.FinalizeFile(abuse.file.ID, now)
	}
	if forgets {
		l.drop(func(id FileID) bool { return id == abuse.file.ID })
		l.keysDropped()
	}
	l = reopened(t, l)
	victim.next = 0
	l.Reset(victim.file.ID, Truncated, now)
	l.AddBatch(victim.batch(len(victim.lines), now))
	l.Settle()
	l.FinalizeFile(victim.file.ID, now)
	releaseAll(l)
	var b strings.Builder
	for line := range strings.Lines(exposition(l.Snapshot(now), func(*counters.Family) bool { return true }, false)) {
		if strings.Contains(line, `user="bob"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// A copy of a session in another source that is read later and ends first changes no
// counter of the session's source, also if its keys are forgotten and the session is
// read again.
func TestCopiesEndInAnotherSource(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		alone, _ := copiesOf()
		want := readWithCopy(t, alone, nil, false)
		victim, abuse := copiesOf()
		if got := readWithCopy(t, victim, abuse, forgets); got != want {
			t.Errorf("forgets %v:\n%s", forgets, difftest.Diff(want, got))
		}
		for _, name := range []string{"turns_total", "request_duration_seconds_count", "requests_total"} {
			if !strings.Contains(want, "claude_"+name) {
				t.Errorf("the session has no %s", name)
			}
		}
	}
}

// A call does not count again if the keys of its result in another source are
// forgotten.
func TestResultInAnotherSource(t *testing.T) {
	victim, abuse := copiesOf()
	abuse.lines = victim.lines[2:3]
	victim.lines = victim.lines[:2]
	if got, want := readWithCopy(t, victim, abuse, true), `claude_tool_calls_total{tool="Read",project="web",agent="main",user="bob"} 1`; !strings.Contains(got, want) {
		t.Errorf("got\n%swant %s", got, want)
	}
}

// A call with a short id does not count again if the keys of its result and its copy in
// another source, in this order, are forgotten.
func TestResultBeforeCallInAnotherSource(t *testing.T) {
	victim, abuse := copiesOf()
	for _, f := range []*transcriptFile{victim, abuse} {
		for i := range f.lines {
			f.lines[i] = bytes.ReplaceAll(f.lines[i], []byte("tool_of_a_genuine_1"), []byte("call_1"))
		}
	}
	abuse.lines = [][]byte{victim.lines[2], victim.lines[1]}
	victim.lines = victim.lines[:2]
	if got, want := readWithCopy(t, victim, abuse, true), `claude_tool_calls_total{tool="Read",project="web",agent="main",user="bob"} 1`; !strings.Contains(got, want) {
		t.Errorf("got\n%swant %s", got, want)
	}
}

// A session is observed once, even if files of another source that had its id first are
// forgotten one by one.
func TestEndedSessionOfForgottenSource(t *testing.T) {
	l, now := New(testOptions(), birth), millis(t, "2026-05-01T10:05:00Z")
	dialogue := []string{sourceLine("user", "a1", "00:01", `,"message":{"content":"z"}`)}
	read := func(id FileID, source SourceLabels, lines ...string) {
		f := testFile(id, "s.jsonl")
		f.Source = source
		openWith(l, f, lines...)
		l.Settle()
	}
	drop := func(id FileID) {
		l.drop(func(f FileID) bool { return f == id })
		l.keysDropped()
	}
	read(1, testSource, strings.Replace(abusesSession["t.jsonl"][0], `"sessionId":"s"`, `"sessionId":"t"`, 1))
	read(2, testSource, dialogue...)
	drop(1)
	read(3, otherSource, namesSession["s.jsonl"]...)
	l.EndSessions(now + 2*quietAfter)
	drop(2)
	read(4, testSource, strings.Replace(dialogue[0], "a1", "a2", 1))
	l.EndSessions(now + 3*quietAfter)
	releaseAll(l)
	text := exposition(l.Snapshot(now+3*quietAfter), func(*counters.Family) bool { return true }, false)
	if want := `claude_session_duration_seconds_count{user="bob"} 1`; !strings.Contains(text, want) {
		t.Errorf("want %s, got\n%s", want, text)
	}
}
