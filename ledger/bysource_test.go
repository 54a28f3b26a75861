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
