package daemon

import (
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/follow"
)

// A user who replaces, truncates or deletes files with ever new ids has a limited
// number of keys, also after a restart, and no effect on another user: no counter
// falls, and nothing that is still known counts twice.
func TestKeyBudget(t *testing.T) {
	const budget, generations, each = 400, 12, 20
	runCases(t, map[string]func(h *harness, rel string, content string){
		"replaced":  func(h *harness, rel, content string) { h.Replace(rel, content) },
		"truncated": func(h *harness, rel, content string) { h.Write(rel, ""); h.Write(rel, content) },
		"renamed": func(h *harness, rel, content string) {
			h.Remove(rel)
			h.Write("b/p/tmp.txt", content)
			h.Rename("b/p/tmp.txt", rel)
		},
	}, func(h *harness, change func(h *harness, rel, content string)) {
		h.settings.Ledger.MaxKeys = budget
		h.settings.Sources = func() []follow.Source {
			return []follow.Source{
				{Path: h.Path("a"), Labels: map[string]string{"user": "a"}},
				{Path: h.Path("b"), Labels: map[string]string{"user": "b"}},
			}
		}
		of := func(user string) string { return fmt.Sprintf("claude_requests_total{user=%q}", user) }
		kept := replies("kept", 1)
		h.Write("a/p/a.jsonl", replies("a", each)) // older than the keys of b
		h.Write("b/p/kept.jsonl", kept)
		h.start()
		want := totals{of("a"): each, of("b"): 1}
		h.waitForSeries(want, summedLabels...)
		keysOfA := sum(h.samples(), "ccwatchd_dedup_keys")
		checkBudget := func() {
			h.Helper()
			if keys := sum(h.samples(), "ccwatchd_dedup_keys") - keysOfA; keys > budget+budget/8 {
				h.Errorf("got %v keys of b, want at most %d", keys, budget)
			}
		}
		for i := range generations {
			// The first lines are in all files.
			change(h, "b/p/x.jsonl", kept+replies(fmt.Sprint("x", i), each))
			want[of("b")] += each
			h.waitForSeries(want, summedLabels...)
		}
		checkBudget()
		if h.metric("ccwatchd_forgotten_keys_total") < budget {
			h.Errorf("got %v forgotten keys", h.metric("ccwatchd_forgotten_keys_total"))
		}
		h.restart()
		checkBudget()
		h.Write("b/p/y.jsonl", replies(fmt.Sprint("x", generations-1), each)) // a copy of the newest
		h.Write("a/p/b.jsonl", replies("a", each)+replies("c", 1))
		want[of("a")]++
		h.waitForSeries(want, summedLabels...)
		h.Remove("b/p/x.jsonl")
		h.Remove("b/p/y.jsonl")
		h.waitForFileCount(3)
		h.readAgain = true
		h.restart()
		h.waitForSeries(want, summedLabels...)
		checkBudget()
	})
}
