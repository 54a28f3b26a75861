package ledger

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
)

// refLine is a line of a message, with one block and a tool call.
func refLine(uuid, parent, id, ref string, block, second int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"parentUuid":%q,"timestamp":"2026-05-01T10:00:%02d.500Z","sessionId":"s","cwd":"/p/web","requestRef":%q,"apiBlockIndex":%d,`+
		`"message":{"id":%q,"model":"m","stop_reason":"tool_use","stop_details":null,"content":[{"type":"tool_use","id":"call_%d","name":"Bash"}],"usage":{"input_tokens":10,"output_tokens":7}}}`,
		uuid, parent, second, ref, block, id, block)
}

// olderSession is a session of two messages. The second message has two lines.
func olderSession(ids [2]string) []string {
	return []string{refLine("u1", "u0", ids[0], "r1", 0, 1), refLine("u2", "t1", ids[1], "r2", 0, 3), refLine("u3", "u2", ids[1], "r2", 1, 4)}
}

// readByOlder returns a ledger with the state of a version that did not read
// requestRef.
func readByOlder(t *testing.T, settle bool, lines ...string) *Ledger {
	t.Helper()
	refs := regexp.MustCompile(`"requestRef":"\w*",`)
	var older []string
	for _, line := range lines {
		older = append(older, refs.ReplaceAllString(line, ""))
	}
	l := newWith(older...)
	if settle {
		l.Settle()
	}
	partOf[*shortIDs](l).older.rows.Delete(0)
	return reopened(t, l)
}

func messagesAndCalls(l *Ledger) [2]uint64 {
	l.FinalizeFile(1, birth)
	l.FinalizeFile(2, birth)
	releaseAll(l)
	return [2]uint64{sumOf(l, "claude_requests_total"), sumOf(l, "claude_tool_calls_total")}
}

// What an older version has read does not count again under the keys of this one:
// neither in a copy, nor in a file that is read again, nor if it goes on.
func TestUpgradeToRequestRefs(t *testing.T) {
	file, fork := testFile(1, "a.jsonl"), testFile(2, "b.jsonl")
	for _, id := range [][2]string{{"msg_01AAAAAAAAAAAAAAAA", "msg_01BBBBBBBBBBBBBBBB"}, {"msg_proxy", "msg_proxy"}, {"", ""}} {
		want := [2]uint64{2, 3}
		if id[0] == "" {
			want[0] = 3 // each line was a message
		}
		lines := olderSession(id)
		for _, settle := range []bool{false, true} {
			read := func(n int) *Ledger { return readByOlder(t, settle, lines[:n]...) }
			check := func(what string, l *Ledger, want [2]uint64) {
				t.Helper()
				if got := messagesAndCalls(l); got != want {
					t.Errorf("id %q, settled %t, %s: got %d messages and calls, want %d", id, settle, what, got, want)
				}
			}
			l := read(3)
			openWith(l, fork, lines...)
			check("copied", l, want)
			openWith(l, fork, refLine("u5", "u4", "msg_new_of_a_genuine_id", "r9", 0, 30))
			check("new", l, [2]uint64{want[0] + 1, want[1] + 1})

			l = read(3)
			l.Reset(file.ID, Requested, birth)
			l = reopened(t, l)
			l.AddBatch(batchOf(file, birth, lines...))
			check("read again", l, want)

			if id[0] == "" {
				continue // the older version knows no message that goes on
			}
			l = read(2)
			l.AddBatch(batchOf(file, birth, lines[2]))
			check("continued", l, want)
			l = reopened(t, l)
			openWith(l, fork, lines...)
			check("continued and copied", l, want)
		}
	}
}

// After an upgrade, all requests of a gateway that gives every response one id count,
// except that an older version counted them as one before.
func TestConstantIDAfterUpgrade(t *testing.T) {
	const id = "one_long_id_for_all_responses"
	old := []string{refLine("u1", "u0", id, "r1", 0, 1), refLine("u2", "t1", id, "r2", 0, 3)}
	next := []string{refLine("u3", "u2", id, "r2", 1, 5), refLine("u4", "t3", id, "r3", 0, 7), refLine("u5", "u4", id, "r3", 1, 8), refLine("u6", "t5", id, "r4", 0, 9)}
	for cut := range len(next) + 1 {
		l := readByOlder(t, true, old...)
		l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, next[:cut]...))
		l = reopened(t, l)
		l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, next[cut:]...))
		openWith(l, testFile(2, "b.jsonl"), slices.Concat(old, next)...)
		if got, want := messagesAndCalls(l)[0], uint64(3); got != want {
			t.Errorf("cut %d: got %d messages, want %d", cut, got, want)
		}
	}
	// Without an upgrade, no older key is looked for.
	l := newWith(refLine("u1", "u0", id, "", 0, 1))
	l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, refLine("u2", "u1", id, "r1", 1, 1), refLine("u3", "u2", id, "r2", 0, 1)))
	if got := messagesAndCalls(l)[0]; got != 3 {
		t.Errorf("without an upgrade: got %d messages, want 3", got)
	}
}

// A row of an older version has no numbers: a message with a short id goes on until a
// line of it has a stop reason.
func TestOlderRowOfShortID(t *testing.T) {
	line := func(uuid, stop string, input int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"parentUuid":"of %[1]s","message":{"id":"msg_proxy","model":"m","stop_reason":%s,"usage":{"input_tokens":%d}}}`, uuid, stop, input)
	}
	for stop, want := range map[string]uint64{`null`: 2, `"end_turn"`: 3} {
		l := newWith(line("u1", stop, 1))
		table.Rewrite(partOf[*shortIDs](l).known, func(row *shortID) { row.request, row.numbers = shortHash{}, shortHash{} })
		l = reopened(t, l)
		l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, line("u2", `"end_turn"`, 2), line("u3", `"end_turn"`, 3)))
		if got := messagesAndCalls(l)[0]; got != want {
			t.Errorf("after the stop reason %s: got %d messages, want %d", stop, got, want)
		}
	}
}
