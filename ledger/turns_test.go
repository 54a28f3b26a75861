package ledger

import (
	"fmt"
	"testing"
)

// turnLines are the lines of a turn that calls a tool, at the beginning of a session.
var turnLines = []string{
	`{"type":"user","uuid":"p1","timestamp":"2026-05-01T10:00:00.000Z","message":{"content":"do"}}`,
	`{"type":"assistant","uuid":"2","timestamp":"2026-05-01T10:00:01.000Z","message":{"id":"m1","model":"m","stop_reason":"tool_use","usage":{},"content":[{"type":"tool_use","id":"t1","name":"Bash"}]}}`,
	`{"type":"user","uuid":"3","timestamp":"2026-05-01T10:00:02.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}`,
	`{"type":"assistant","uuid":"4","timestamp":"2026-05-01T10:00:03.000Z","message":{"id":"m2","model":"m","stop_reason":"end_turn","usage":{}}}`,
}

// A complete turn is pending until its file is quiet. One in the middle of a tool call
// is not, only the time of its latest request: no quiet file would ever be left alone.
func TestPendingTurn(t *testing.T) {
	f := testFile(1, "a.jsonl")
	l := newWith()
	for i, want := range []bool{false, true, false, true} {
		l.AddBatch(batchOf(f, birth, turnLines[i]))
		l.Settle()
		if got := l.HasPending(f.ID); got != want {
			t.Errorf("after line %d: got %t, want %t", i+1, got, want)
		}
		if i == 3 {
			break
		}
		if l.FinalizeFile(f.ID, birth); l.HasPending(f.ID) {
			t.Errorf("after line %d: the quiet file is still pending", i+1)
		}
	}
	if n, _ := countedTurns(t, l); n != 0 {
		t.Errorf("before the file is quiet: got %d turns, want none", n)
	}
	l.FinalizeFile(f.ID, birth)
	if n, _ := countedTurns(t, l); n != 1 || l.HasPending(f.ID) {
		t.Errorf("got %d turns, pending %t, want 1 and none pending", n, l.HasPending(f.ID))
	}
}

// An open turn is forgotten with its file.
func TestForgottenTurn(t *testing.T) {
	l := newWith(turnLines[:2]...)
	if l.Forget([]FileID{1}, birth); partOf[*turns](l).open.Len()+partOf[*turns](l).keys.Len() > 0 {
		t.Errorf("got %d open turns with %d keys, want none", partOf[*turns](l).open.Len(), partOf[*turns](l).keys.Len())
	}
}

func prompt(uuid, at, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"timestamp":%q,"message":{"content":%q}}`, uuid, at, text)
}

func answer(id, at string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"timestamp":%q,"message":{"id":%[1]q,"model":"m","stop_reason":"end_turn","usage":{}}}`, id, at)
}

// A turn is a copy if its prompt has the uuid, or the time and text, of another one,
// even if that one was a copy.
func TestTurnKeys(t *testing.T) {
	const at = "2026-05-01T10:00:00.000Z"
	for _, tt := range []struct {
		name   string
		copies []string
		want   uint64
	}{
		{"other uuid and text", []string{prompt("a", at, "one"), prompt("b", at, "two")}, 2},
		{"same uuid", []string{prompt("a", at, "one"), prompt("a", at, "two")}, 1},
		{"same text", []string{prompt("a", at, "one"), prompt("b", at, "one")}, 1},
		{"text of a copy by its uuid", []string{prompt("a", at, "one"), prompt("a", at, "two"), prompt("b", at, "two")}, 1},
		{"uuid of a copy by its text", []string{prompt("a", at, "one"), prompt("b", at, "one"), prompt("b", at, "two")}, 1},
		{"same text at another time", []string{prompt("a", at, "one"), prompt("b", "2026-05-01T10:00:00.001Z", "one")}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newWith()
			for i, p := range tt.copies {
				l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, p, answer(fmt.Sprint("m", i), at)))
			}
			l.FinalizeFile(1, birth)
			if n, _ := countedTurns(t, l); n != tt.want {
				t.Errorf("got %d turns, want %d", n, tt.want)
			}
		})
	}
}

// A turn has the time of the last line of its answer with a usable time, or else of its
// prompt, but not in the future.
func TestTurnTime(t *testing.T) {
	const at, later, future = "2026-05-01T10:00:00.000Z", "2026-05-28T21:00:00.000Z", "2026-07-01T10:00:00.000Z"
	for _, tt := range []struct {
		name, answered string
		want           int64
	}{
		{"past", at, millis(t, at)}, {"a clock ahead", later, birth}, {"future", future, millis(t, at)}, {"none", "", millis(t, at)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newWith(prompt("a", at, "one"), answer("m1", tt.answered))
			l.FinalizeFile(1, birth)
			if got := samplesOf(l, "claude_turns_total")[0].Created; got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
