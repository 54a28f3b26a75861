package daemon

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A session is observed after a day without a line, at a start as well as by a running
// daemon. After a restart it is not observed again.
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
	_, prompts := ended(h.scrape())
	checkEqual(t, "prompts of ended sessions", prompts, 3)
}

// The run of a sub-agent that waits longer than the message timeout counts when it
// ends, or as unfinished after a day, even across a restart.
func TestWaitingSubagents(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	started := h.now().UTC()
	line := func(after time.Duration, rest string) string {
		return `{"timestamp":"` + started.Add(after).Format("2006-01-02T15:04:05.000Z") + `","sessionId":"s","isSidechain":true,` + rest + "}\n"
	}
	const (
		finished   = "p/s/subagents/agent-1.jsonl"
		unfinished = "p/s/subagents/agent-2.jsonl"

		runs      = `claude_subagent_runs_total{type="unknown",outcome=`
		completed = runs + `"completed"}`
	)
	task := line(0, `"type":"user","message":{"content":"x"}`)
	h.Write(finished, task)
	h.Write(unfinished, task)
	h.start()
	h.expireMessageTimeout()
	h.waitUntil("the files are quiet", func() (quiet bool) {
		whileLocked(h.d.state, func() { quiet = len(h.d.state.Ledger().AllPending()) == 0 })
		return quiet
	})
	h.restart()
	h.advance(2 * time.Hour)
	h.Append(finished, line(2*time.Hour, `"type":"assistant","message":{"id":"m","model":"opus","stop_reason":"end_turn","usage":{"output_tokens":1}}`))
	h.waitForSeries(totals{requests: 1}, summedLabels...)
	h.expireMessageTimeout()
	h.waitForSeries(totals{completed: 1, runs + `"unfinished"}`: 0, `claude_subagent_duration_seconds_sum{type="unknown"}`: 7_200_000})
	h.advance(24 * time.Hour)
	h.waitForSeries(totals{completed: 1, runs + `"unfinished"}`: 1})
}

// waitForEnded waits until a number of sessions is observed.
func (h *harness) waitForEnded(n uint64) {
	h.Helper()
	h.waitUntil("sessions are observed", func() bool {
		if !h.d.ready.Load() {
			return false
		}
		h.d.state.Release(h.d.state.Pending())
		sessions, _ := ended(h.scrape())
		return sessions == n
	})
}

// ended returns the number of ended sessions, and of their prompts.
func ended(snap ledger.Snapshot) (sessions, prompts uint64) {
	for _, f := range snap.Families {
		for i := range f.Samples {
			if f.Family.Name == "claude_session_prompts" {
				sessions, prompts = sessions+f.Samples[i].Value, prompts+f.Samples[i].Sum
			}
		}
	}
	return sessions, prompts
}
