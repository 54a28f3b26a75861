package ledger

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// dependent are the families whose intervals depend on the order of reading: the tokens
// of earlier lines are seen when a line reports totals, only the copy of a turn that
// ends first counts, and only the first line about a limit, a commit, a pull request or
// a file of a session.
var dependent = append(turnHistograms, "claude_reported_seen_tokens_total", "claude_limit_hits_total",
	"claude_commits_total", "claude_pull_requests_total", "claude_files_touched_total")

// corrected are the families whose corrections count at their own time, if the message
// was counted before.
var corrected = []string{
	"claude_request_output_tokens", "claude_tokens_total", "claude_thinking_tokens_total", "claude_server_tool_requests_total",
	"claude_cost_usd_total", "claude_cache_savings_usd_total", "claude_cache_write_premium_usd_total", "claude_unpriced_tokens",
	"claude_entrypoint_tokens_total", "claude_entrypoint_cost_usd_total", "claude_subagent_tokens_total", "claude_subagent_cost_usd_total",
	"claude_attributed_tokens_total", "claude_attributed_cost_usd_total",
}

// conversations returns the increases of the families that count lines of the dialogue,
// except for some.
func conversations(l *Ledger, without ...string) map[string][]uint64 {
	all := intervals(l, byOrder...)
	dropTimedOutput(all)
	maps.DeleteFunc(all, func(series string, _ []uint64) bool {
		name, _, _ := strings.Cut(series, " ")
		return !strings.HasPrefix(name, "claude_") || slices.Contains(without, name) || isOfRequestTimes(series) || slices.Contains(requestFamilies, name)
	})
	return all
}

// Conversations give the same intervals in any order of reading and any size of
// batches.
func TestHistoryDoesNotDependOnOrder(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for seed := range seeds() {
		straight := newReplayer(seed, 0).readInOrder(math.MaxInt32, atTheEnd)
		for order := range uint64(12) {
			without, settles := dependent, order%3 == 0
			if settles {
				without = slices.Concat(dependent, corrected)
			}
			want := conversations(straight, without...)
			if len(want) < 10 {
				t.Fatalf("seed %d: got only %d increases", seed, len(want))
			}
			steps := newReplayer(seed, order).readAll(1+int(order)*3, order%2 == 0, settles)
			if d := difference(conversations(apply(New(testOptions(), birth), steps), without...), want); d != "" {
				t.Fatalf("seed %d, order %d:\n%s", seed, order, d)
			}
		}
	}
}
