package ledger

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

var testSource, otherSource = counters.NewSourceLabels(map[string]string{"user": "ann"}), counters.NewSourceLabels(map[string]string{"user": "bob"})

// sourceLine returns a line of session s.
func sourceLine(typ, id, at, more string) string {
	return fmt.Sprintf(`{"type":%q,"uuid":"%s","timestamp":"2026-05-01T10:%sZ","sessionId":"s","cwd":"/p/web"%s}`, typ, id, at, more)
}

func sourceMessage(id string, output int) string {
	return fmt.Sprintf(`,"message":{"id":"message_of_a_genuine_%[1]s","model":"opus","stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":%[2]d},`+
		`"content":[{"type":"tool_use","id":"tool_of_a_genuine_%[1]s","name":"Read","input":{"file_path":"/p/web/a"}}]}`, id, output)
}

func reportedLine(output int) string {
	return fmt.Sprintf(`{"type":"cost-state","sessionId":"s","modelUsage":{"opus":{"inputTokens":9,"outputTokens":%d,"costUSD":0.5,"contextWindow":%d,"costBasis":"list"}}}`, output, 200_000+output)
}

const queueLine = `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-05-01T10:00:00Z","sessionId":"s"}`

// namesSession are the lines of a session, and of a sub-agent of it.
var namesSession = map[string][]string{
	"s.jsonl": {
		queueLine, sourceLine("user", "u1", "00:01", `,"message":{"content":"x"}`), sourceLine("assistant", "u2", "00:02", sourceMessage("1", 100)),
		reportedLine(200), sourceLine("assistant", "u3", "00:04", sourceMessage("2", 50)), reportedLine(300),
	},
	"agent-1.jsonl": {sourceLine("user", "u4", "00:03", `,"isSidechain":true,"message":{"content":"y"}`), sourceLine("assistant", "u5", "00:03", `,"isSidechain":true`+sourceMessage("3", 7))},
}

// abusesSession are lines of another user, who knows the ids of a session and of its
// sub-agent, and which files it reads.
var abusesSession = map[string][]string{
	"s.jsonl": {
		reportedLine(5_000_000_000), queueLine, sourceLine("user", "a1", "04:01", `,"message":{"content":"z"}`),
		sourceLine("assistant", "a2", "04:02", sourceMessage("a", 5_000_000_000)), reportedLine(5_000_000_001),
		sourceLine("user", "a3", "04:03", `,"requestSessionId":"other","message":{"content":"w"}`),
		`{"type":"continued-in","sessionId":"s"}`,
	},
	"agent-1.jsonl": {sourceLine("user", "a4", "00:01", `,"isSidechain":true,"message":{"content":"v"}`)},
	"t.jsonl":       {sourceLine("assistant", "a5", "04:02", `,"requestSessionId":"s"`+sourceMessage("b", 4_000_000_000))},
}

// inSource returns files of a source, with their ids from an id on.
func inSource(source SourceLabels, from FileID, lines map[string][]string) (all []*transcriptFile) {
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		f := &transcriptFile{file: testFile(from+FileID(len(all)), name)}
		f.file.Source = source
		for _, l := range lines[name] {
			f.lines = append(f.lines, []byte(l))
		}
		all = append(all, f)
	}
	return all
}

// sourceView returns everything that is shown of the sessions and counters of a source.
func sourceView(t *testing.T, l *Ledger, source SourceLabels, now int64) string {
	l.NameSession(SessionID{source, "s"})
	var b strings.Builder
	other := reopened(t, l)
	releaseAll(other)
	for line := range strings.Lines(exposition(other.Snapshot(now), func(*counters.Family) bool { return true }, false)) {
		if strings.Contains(line, source.Labels()["user"]) {
			b.WriteString(line)
		}
	}
	for _, s := range l.SessionList(SessionQuery{Limit: 9, Since: math.MinInt64, ID: "s", Source: source}, now).Sessions {
		fmt.Fprintf(&b, "asked for: %+v\n", s)
	}
	for _, s := range l.SessionList(everySession, now).Sessions {
		if s.Source == source {
			fmt.Fprintf(&b, "listed: %+v\n", s)
		}
	}
	snapshot := l.Snapshot(now)
	for _, s := range snapshot.Live {
		if s.Source == source {
			fmt.Fprintf(&b, "live: %+v\n", s)
		}
	}
	for _, a := range snapshot.Active {
		if a.Source == source {
			fmt.Fprintf(&b, "active: %+v\n", a)
		}
	}
	return b.String()
}

// A session belongs to its source: no line of another source that names it changes a
// counter or the totals of it, whichever is read first, line by line or at rest, over
// restarts, and when everything is read again.
func TestSessionsBelongToTheirSource(t *testing.T) {
	now := millis(t, "2026-05-01T10:05:00Z")
	read := func(chunk int, restart bool, files ...*transcriptFile) *Ledger {
		l := New(testOptions(), birth)
		for _, f := range files {
			f.next = 0
			l.Open(f.file)
		}
		for again := range 2 {
			for left := true; left; {
				left = false
				for _, f := range files {
					if n := min(chunk, len(f.lines)-f.next); n > 0 {
						left = true
						l.AddBatch(f.batch(n, now))
						l.Settle()
					}
				}
				if restart {
					l = reopened(t, l)
				}
			}
			for _, f := range files {
				l.FinalizeFile(f.file.ID, now)
				if again == 0 {
					f.next = 0
					l.Reset(f.file.ID, Requested, now)
				}
			}
		}
		l.MarkEnded(SessionID{testSource, "s"}, now+1)
		return l
	}
	ended := now + 2*quietAfter
	victim, abuse := inSource(otherSource, 1, namesSession), inSource(testSource, 11, abusesSession)
	alone := read(100, false, victim...)
	want := sourceView(t, alone, otherSource, now)
	alone.EndSessions(ended)
	wantEnded := sourceView(t, alone, otherSource, ended)
	for _, part := range []string{
		`claude_reported_tokens_total{model="opus",type="output",user="bob"} 300`, `claude_reported_seen_tokens_total{type="output",user="bob"} 157`,
		`claude_sessions_total`, `claude_queue_operations_total`, `claude_files_touched_total`, `claude_reported_cost_basis_total`, `claude_subagents_total`,
		"asked for: ", "listed: ", "live: ", "active: ",
	} {
		if !strings.Contains(want, part) {
			t.Fatalf("the sessions alone have no %s:\n%s", part, want)
		}
	}
	for _, chunk := range []int{1, 100} {
		for _, restart := range []bool{false, true} {
			for name, files := range map[string][]*transcriptFile{
				"abuse first": slices.Concat(abuse, victim), "abuse last": slices.Concat(victim, abuse),
			} {
				name = fmt.Sprintf("%s, %d lines at once, restart %v", name, chunk, restart)
				l := read(chunk, restart, files...)
				if got := sourceView(t, l, otherSource, now); got != want {
					t.Errorf("%s:\n%s", name, difftest.Diff(want, got))
				}
				l.EndSessions(ended)
				if got := sourceView(t, l, otherSource, ended); got != wantEnded {
					t.Errorf("%s, after the end:\n%s", name, difftest.Diff(wantEnded, got))
				}
			}
		}
	}
}

// countedOf returns the sums of counters over all sources.
func countedOf(t *testing.T, l *Ledger) map[string]uint64 {
	sums := make(map[string]uint64)
	l = reopened(t, l)
	releaseAll(l)
	for _, f := range l.Snapshot(birth).Families {
		for _, s := range f.Samples {
			sums[f.Family.Name] += s.Value
		}
	}
	for name := range sums { // a file that is read again is a duplicate
		if !strings.HasPrefix(name, "claude_") || strings.HasSuffix(name, "_timestamp_seconds") {
			delete(sums, name)
		}
	}
	return sums
}

// readAgain reads files again from their beginning.
func readAgain(l *Ledger, files ...*transcriptFile) {
	for _, f := range files {
		f.next = 0
		l.Reset(f.file.ID, Requested, birth)
		l.AddBatch(f.batch(len(f.lines), birth))
		l.FinalizeFile(f.file.ID, birth)
	}
}

func openIn(l *Ledger, source SourceLabels, files ...*transcriptFile) {
	for _, f := range files {
		f.file.Source = source
		l.Open(f.file)
	}
}

// When files get other labels, or move to another source, nothing counts again.
func TestSessionMovesBetweenSources(t *testing.T) {
	l, files := New(testOptions(), birth), inSource(testSource, 1, namesSession)
	openIn(l, testSource, files...)
	readAgain(l, files...)
	want := countedOf(t, l)
	openIn(l, otherSource, files...)
	l = reopened(t, l)
	readAgain(l, files...)
	if got := countedOf(t, l); !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if list := l.SessionList(everySession, birth).Sessions; len(list) != 1 || list[0].Source != otherSource {
		t.Errorf("got %+v", list)
	}
}

// If the oldest file of a session is forgotten, its rows belong to the source of the
// files that repeat them.
func TestForgottenFileOfASession(t *testing.T) {
	l, now := New(testOptions(), birth), millis(t, "2026-05-01T10:05:00Z")
	read := func(l *Ledger, id FileID) {
		f := testFile(id, "s.jsonl")
		f.Source = testSource
		l.Open(f)
		l.AddBatch(batchOf(f, now, namesSession["s.jsonl"]...))
		l.Settle()
	}
	read(l, 1)
	read(l, 2)
	want := countedOf(t, l)
	l.MarkMissing(1)
	l.Forget([]FileID{1}, now)
	for _, again := range []*Ledger{reopened(t, l), l} {
		read(again, 3)
		if got := countedOf(t, again); !maps.Equal(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	}
}

// In states before format 3, all sources share the rows of a session. They belong to
// the source that had them first: there nothing counts again. The other source has a
// session of its own from its next line on.
func TestSessionsSharedByEarlierStates(t *testing.T) {
	first, second := inSource("", 1, namesSession), inSource("", 11, namesSession)
	all := slices.Concat(first, second)
	l := New(testOptions(), birth)
	openIn(l, "", all...)
	readAgain(l, all...)
	readAgain(l, all...) // the second copy of the sub-agent counts when it is quiet
	want := countedOf(t, l)
	openIn(l, testSource, first...)
	openIn(l, otherSource, second...)
	l = reopened(t, l)
	readAgain(l, first...)
	agent := second[0]
	l.MarkMissing(agent.file.ID)
	openIn(l, otherSource, agent)
	l.FinalizeFile(agent.file.ID, birth)
	if got := countedOf(t, l); !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	grown := batchOf(first[1].file, birth, reportedLine(310))
	l.AddBatch(grown)
	want["claude_reported_tokens_total"] += 10
	if got := countedOf(t, l); !maps.Equal(got, want) {
		t.Errorf("another line of the first source: got %v\nwant %v", got, want)
	}
	l.AddBatch(batchOf(second[1].file, birth, reportedLine(310)))
	want["claude_reported_tokens_total"] += 9 + 310
	if got := countedOf(t, l)["claude_reported_tokens_total"]; got != want["claude_reported_tokens_total"] {
		t.Errorf("another line of the second source: got %d reported tokens, want %d", got, want["claude_reported_tokens_total"])
	}
}
