package ledger

import (
	"fmt"
	"testing"
)

// refused is the line of an API error about the session limit, in a session of its own.
func refused(uuid string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%[1]q,"sessionId":%[1]q,"timestamp":"2026-05-01T10:00:00.000Z","isApiErrorMessage":true,"error":"rate_limit",`+
		`"message":{"role":"assistant","content":[{"type":"text","text":"You've hit your session limit · resets 3pm"}]}}`, uuid)
}

// A copy of an error counts no limit again when the latest file that reported it was
// forgotten. Other errors report the limit again, and keep its key.
func TestCopiedLimitHit(t *testing.T) {
	const series = "claude_limit_hits_total window=five_hour"
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "1.jsonl"), refused("1"))
	openWith(l, testFile(2, "2.jsonl"), refused("2"))
	l.Forget([]FileID{2}, birth)
	for id, copied := range []string{"1", "1", "3"} {
		openWith(l, testFile(FileID(3+id), "c.jsonl"), refused(copied))
		if got := totals(l)[series]; len(got) == 0 || got[0] != 1 {
			t.Errorf("after error %s: got %v, want 1", copied, got)
		}
	}
}

// The key of a limit is kept while the latest file that reported it exists.
func TestLimitHitOfForgottenFile(t *testing.T) {
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "1.jsonl"), refused("1"))
	openWith(l, testFile(2, "2.jsonl"), refused("2"))
	l.Forget([]FileID{1}, birth)
	openWith(l, testFile(3, "3.jsonl"), refused("3"))
	if got := value(l, "claude_limit_hits_total", "five_hour"); got != 1 {
		t.Errorf("got %d hits, want 1", got)
	}
}

// A window has the name that the error states, and so have at most 16 of them. The
// names of more are "other", but they are windows of their own.
func TestManyLimitWindows(t *testing.T) {
	l := New(testOptions(), birth)
	for i := range 20 {
		openWith(l, testFile(FileID(i+1), fmt.Sprint(i, ".jsonl")), fmt.Sprintf(`{"type":"assistant","uuid":"%[1]d","timestamp":"2026-05-01T10:00:00.000Z","isApiErrorMessage":true,`+
			`"error":"rate_limit","quotaLimits":{"status":"rejected","rateLimitType":"window_%[1]d","resetsAt":1777640400},"message":{}}`, i))
	}
	for window, want := range map[string]uint64{"window_0": 1, "window_15": 1, "other": 4} {
		if got := value(l, "claude_limit_hits_total", window); got != want {
			t.Errorf("%s: got %d hits, want %d", window, got, want)
		}
	}
}
