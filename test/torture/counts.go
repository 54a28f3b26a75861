package torture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// A count is a family whose series depend on the copy of a line that was read first, or
// on how much of a file existed when it was read. Only its number of observations is
// compared: with the number of described events, and with "ccwatchd once".
type count struct {
	name   string // of a sample
	of     string // there is at most one for each of these
	labels []string
	share  float64 // and at least one for this share of them
	varies bool    // another reading of the same files may have more
}

var counts = []count{
	// A turn counts with the content of the copy that ends first, and some prompts begin
	// no turn.
	{name: "claude_turns_total", of: "claude_prompts_total", share: .1},
	{name: "claude_turn_seconds_count", of: "claude_turns_total", share: 1},
	{name: "claude_turn_requests_count", of: "claude_turns_total", share: 1},
	{name: "claude_turn_tool_calls_count", of: "claude_turns_total", share: 1},
	// The duration of a request depends on the copy of its message that ended first.
	{name: "claude_request_duration_seconds_count", of: "claude_requests_total", share: .5},
	{name: "claude_request_first_block_seconds_count", of: "claude_requests_total", share: .5},
	// The lines of a session are older than a day, so it is observed at once. A fork that
	// has only copies is not, if it was read after the session from which they are.
	{name: "claude_session_duration_seconds_count", of: "claude_sessions_total", share: .9, varies: true},
	{name: "claude_session_prompts_count", of: "claude_session_duration_seconds_count", share: 1},
	{name: "claude_session_requests_count", of: "claude_session_duration_seconds_count", share: 1},
	// The reason of a cache miss depends on the record of the message that counted.
	{name: "claude_cache_misses_total", of: "claude_cache_requests_total", labels: []string{"result", "miss"}, share: 1},
	{name: "claude_subagent_runs_total", of: "claude_subagents_total", share: 1},
}

// isCounted reports whether only the number of a family is compared.
func isCounted(family string) bool {
	switch family {
	case "claude_request_timed_output_tokens_total", "claude_request_timed_seconds_total",
		"claude_cache_rewritten_tokens_total", "claude_cache_rewritten_cost_usd_total", "claude_fast_mode_premium_usd_total", "claude_request_context_tokens":
		return true
	}
	return strings.HasPrefix(family, "claude_subagent_") ||
		slices.ContainsFunc(counts, func(c count) bool { return strings.TrimSuffix(c.name, "_count") == family })
}

// checkCounts returns an error for a count that is wrong in itself, or lower than in
// another reading of the same files: while lines are dropped from a file, another line
// can cause a request or begin a turn.
func checkCounts(samples, other exposition.Samples) error {
	for _, c := range counts {
		got, _ := samples.Sum(c.name)
		most, _ := samples.Sum(c.of, c.labels...)
		least := c.share * most
		if c.share < 1 && !c.varies {
			in, _ := other.Sum(c.name)
			least = max(least, in)
		}
		if got < least || got > most {
			return fmt.Errorf("%s: want %v to %v, got %v", c.name, least, most, got)
		}
	}
	return nil
}
