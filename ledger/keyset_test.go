package ledger

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The keys of a saved turn are in ascending order, without repetitions.
func TestKeySetOrder(t *testing.T) {
	a, b := transcript.Key{1}, transcript.Key{2}
	for _, tt := range []struct {
		keys []transcript.Key
		want error
	}{
		{[]transcript.Key{a, b}, nil}, {[]transcript.Key{b, a}, codec.ErrCorrupt}, {[]transcript.Key{a, a}, codec.ErrCorrupt},
	} {
		w := codec.NewWriter(nil)
		codec.Fixed64s(w, 1, &tt.keys)
		r := codec.NewReader(w.Bytes())
		var s keySet
		if s.code(r, 1); !errors.Is(r.Done(), tt.want) {
			t.Errorf("%v: got %v, want %v", tt.keys, r.Done(), tt.want)
		}
	}
}

// asking returns a line of a message that asks for a tool call.
func asking(message, call string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","stop_reason":"tool_use","usage":{},"content":[{"type":"tool_use","id":%q,"name":"Bash"}]}}`, message, call)
}

// The memory of a turn that never ends is limited. Beyond the limit, a message counts
// when it differs from the one before, and a call whenever it appears. Both numbers
// survive a restart.
func TestEndlessTurn(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	lines := []string{prompt("p1", "2026-05-01T10:00:00.000Z", "do")}
	for i := range maxKeys {
		lines = append(lines, asking(fmt.Sprint("m", i), fmt.Sprint("t", i)))
	}
	lines = append(lines,
		asking("new", "new1"), asking("new", "new1"), asking("new", "new2"), // one message and three calls
		asking("m1", "t1"),    // known
		asking("new", "new1"), // counts again
	)
	l := newWith(lines...)
	if turn := l.turns[1]; len(turn.messages.keys) != maxKeys || len(turn.calls.keys) != maxKeys {
		t.Errorf("got %d and %d keys, want %d", len(turn.messages.keys), len(turn.calls.keys), maxKeys)
	}
	l = reopened(t, l)
	l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, asking("last", "last"), answer("end", "2026-05-01T10:00:09.000Z")))
	l.FinalizeFile(1, birth)
	if n, sums := countedTurns(t, l); n != 1 || sums != [3]uint64{9000, maxKeys + 4, maxKeys + 5} {
		t.Errorf("got %d turns with %d, want 1 with %d messages and %d calls", n, sums, maxKeys+4, maxKeys+5)
	}
}
