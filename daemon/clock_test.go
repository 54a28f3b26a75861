package daemon

import (
	"bytes"
	"regexp"
	"sync/atomic"
	"testing"
	"time"
)

// After the clock is set back, an open message counts when the message timeout has
// passed on the new clock.
func TestClockIsSetBack(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var loops atomic.Int64
	h.onAlive = func() { loops.Add(1) }
	h.start()
	h.totals()
	h.advance(5 * time.Hour)
	for _, session := range []string{"a", "b"} {
		h.expireMessageTimeout()
		h.waitForOpenMessages(0)
		h.createNow("p/"+session+".jsonl", openReply(session))
		h.waitForOpenMessages(1)
	}
	h.ahead.Store(0)
	last := loops.Load()
	h.waitUntil("the open message is counted", func() bool {
		// No time passes before the daemon has looked at the clock.
		if n := loops.Load(); n > last+10 {
			last = n
			h.advance(5 * time.Minute)
		}
		return h.openMessages() == 0
	})
	if took := time.Duration(h.ahead.Load()); took > time.Hour {
		t.Errorf("the open message was counted after %v, want at most an hour", took)
	}
	h.waitFor(totals{requests: 2, output: 10})
	h.checkNoNegatives()
}

// With a clock that is wrong for some days, no counter falls, and nothing is counted
// twice or forgotten.
func TestClockIsWrongForDays(t *testing.T) {
	runCases(t, map[string]time.Duration{"ahead": 5 * day, "behind": -5 * day}, func(h *harness, jump time.Duration) {
		h.Write(fileA, replies("a", 2))
		h.Write(fileB, replies("b", 1)+openReply("c"))
		h.start()
		h.waitFor(counts(3, 3))
		h.Remove(fileA)
		h.waitForFileCount(1)
		h.advance(jump)
		h.Append(fileB, replies("d", 1))
		h.waitFor(totals{requests: 5, output: 45})
		h.checkNoNegatives()
		h.restart()
		h.checkNoNegatives()
		h.advance(-jump)
		h.restart()
		h.Replace(fileA, replies("a", 3))
		h.waitFor(totals{requests: 6, output: 55})
		h.checkNoNegatives()
	})
}

// createNow creates a file that was modified now by the clock of the harness.
func (h *harness) createNow(rel, content string) {
	h.Helper()
	h.Write("new", content)
	h.Touch("new", h.now())
	h.Rename("new", rel)
}

// checkNoNegatives checks that no exposed value is negative.
func (h *harness) checkNoNegatives() {
	h.Helper()
	text := h.exposition().Bytes()
	if !bytes.Contains(text, []byte("\nclaude_requests_total{")) {
		h.Fatal("the daemon exposes no requests")
	}
	for _, line := range regexp.MustCompile(`(?m)^[^#].* -.*$`).FindAll(text, -1) {
		h.Errorf("negative value: %s", line)
	}
}

// After the retention period, exactly the keys that only deleted files could repeat are
// forgotten. Counters keep their values.
func TestRetention(t *testing.T) {
	runCases(t, map[string]func(h *harness, d time.Duration){
		"while the daemon runs": func(h *harness, d time.Duration) { h.advance(d) },
		"while none runs":       func(h *harness, d time.Duration) { h.stop(); h.advance(d); h.start() },
	}, func(h *harness, pass func(*harness, time.Duration)) {
		h.Write(fileA, replies("a", 3))
		h.Write("p/parent.jsonl", replies("both", 2)+replies("b", 1))
		h.Write("p/fork.jsonl", replies("both", 2)+replies("c", 1))
		h.start()
		h.waitFor(counts(7, 4))
		h.Remove(fileA)
		h.Remove("p/parent.jsonl")
		h.waitForFileCount(1)

		pass(h, h.settings.Retention-day)
		h.checkDedupKeys(7)
		// The file returns within the retention period. It is created whole: an empty file
		// with the old name and inode would count as the old file, truncated.
		h.Replace(fileA, replies("a", 3))
		h.waitForFileCount(2)
		h.waitFor(counts(7, 4))
		h.Remove(fileA)
		h.waitForFileCount(1)

		pass(h, h.settings.Retention+day)
		h.waitUntil("keys are forgotten", func() bool { return h.scrape().DedupKeys["message"] == 4 })
		h.waitFor(counts(7, 4))
		// The fork keeps the keys that it shares with its parent.
		h.Write("q/again.jsonl", replies("both", 2))
		h.Write("p/fork.jsonl", replies("both", 1))
		h.waitFor(counts(7, 4).with(truncated, 1))
		h.restart()
		h.waitFor(counts(7, 4))
	})
}
