package daemon

import (
	"testing"
	"time"
)

const endedCount = "claude_session_prompts_count"

// A session is observed when it has been quiet for a day: at a start, and by a daemon
// that runs. After a restart it is not observed again.
func TestEndSessions(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write("p/old.jsonl", replies("old", 2))
	now := h.now().UTC().Format("2006-01-02T15:04:05.000Z")
	h.Write("p/new.jsonl", `{"type":"user","uuid":"n","timestamp":"`+now+`","sessionId":"new","message":{"content":"x"}}`+"\n")
	h.start()
	h.waitForEnded(1)
	h.restart()
	h.advance(23 * time.Hour)
	h.waitForEnded(1)
	h.advance(2 * time.Hour)
	h.waitForEnded(2)
	h.advance(-50 * time.Hour)
	h.restart()
	h.advance(100 * time.Hour)
	h.waitForEnded(2)
	sum := h.totals()["claude_session_prompts_sum"]
	checkEqual(t, "prompts of ended sessions", sum, 3)
}

// waitForEnded waits until a number of sessions is observed, and checks that it is in
// the next moment too.
func (h *harness) waitForEnded(n uint64) {
	h.Helper()
	ended := func() uint64 { return stateTotals(h.d.state)[endedCount] }
	h.waitUntil("sessions are observed", func() bool { return h.d.ready.Load() && ended() == n })
	checkEqual(h, "ended sessions", h.totals()[endedCount], n)
}
