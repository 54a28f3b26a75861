package daemon

import (
	"testing"
	"time"
)

// After the retention, keys that only deleted files could repeat are forgotten, and no
// others. Counters keep their values.
func TestRetention(t *testing.T) {
	t.Parallel()
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
		// The file comes back in time, at once and as a whole: an empty file with the
		// name and the inode of the old one would be that one, truncated.
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

// Keys of existing files are kept, however old they are.
func TestRetentionOfExistingFiles(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 3)
	for range 3 {
		h.stop()
		h.advance(h.settings.Retention)
		h.start()
	}
	h.checkDedupKeys(3)
	h.Write(fileA, replies("a", 2))
	h.waitFor(counts(3, 1).with(truncated, 1))
}
