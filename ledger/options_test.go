package ledger

import (
	"time"

	"github.com/ccwatchd/ccwatchd/pricing"
)

// testOptions are the options of tests that are not about options.
func testOptions() Options {
	return Options{
		Limits: map[string]int{},
		Buckets: map[string][]float64{
			"claude_tool_duration_seconds": {1, 10}, "claude_turn_duration_seconds": {60}, "claude_compaction_pre_tokens": {100000},
			"claude_turn_seconds": {10}, "claude_turn_requests": {1}, "claude_turn_tool_calls": {0},
			"claude_request_duration_seconds": {5}, "claude_request_first_block_seconds": {5}, "claude_compaction_duration_seconds": {60},
			"claude_session_duration_seconds": {60}, "claude_session_prompts": {1}, "claude_session_requests": {1},
			"claude_request_context_tokens": {50000}, "claude_request_output_tokens": {1000},
			"claude_hook_duration_seconds":     {1},
			"claude_subagent_duration_seconds": {60},
		},
		UnknownProject: "unknown",
		ActiveFor:      5 * 60 * 1000,
		Prices:         testPrices(),
		FineHistory:    200 * dayMillis,
	}
}

// priceRise is when sonnet becomes more expensive. It is in the middle of the
// sessions of a replayer.
const priceRise = "2026-03-02T00:00:00Z"

// testPrices has the prices of three models: one with a tier, and two with a fast mode.
func testPrices() *pricing.Table {
	const usd = 1_000_000 // per million tokens
	rise, err := time.Parse(time.RFC3339, priceRise)
	if err != nil {
		panic(err)
	}
	opus := pricing.Rates{Input: 5 * usd, CacheWrite5m: 6.25 * usd, CacheWrite1h: 10 * usd, CacheRead: 0.5 * usd, Output: 25 * usd}
	sonnet := pricing.Rates{Input: 3 * usd, CacheWrite5m: 3.75 * usd, CacheWrite1h: 6 * usd, CacheRead: 0.3 * usd, Output: 15 * usd}
	haiku := pricing.Rates{Input: 0.1 * usd, CacheWrite5m: 0.125 * usd, CacheWrite1h: 0.2 * usd, CacheRead: 0.01 * usd, Output: 0.5 * usd}
	long := pricing.Rates{Input: 0.5 * usd, CacheWrite5m: 0.625 * usd, CacheWrite1h: 1 * usd, CacheRead: 0.05 * usd, Output: 2.5 * usd}
	cheap := sonnet
	cheap.CacheRead, cheap.Output = 0.2*usd, 12.3456*usd
	table := pricing.NewTable("2026-11-22", []pricing.Row{
		{Model: "opus", Rates: opus, Fast: 2},
		{Model: "sonnet", Until: rise.UnixMilli(), Rates: cheap, Fast: 6},
		{Model: "sonnet", From: rise.UnixMilli(), Rates: sonnet, Fast: 6},
		{Model: "haiku", Rates: haiku, LongPrompt: 20_000, Long: long},
	})
	return table
}

// futurePrices also have the model "future", which has become cheaper at priceRise.
func futurePrices() *pricing.Table {
	const usd = 1_000_000
	table := testPrices()
	change := table.Rows[len(table.Rows)-1].From
	return pricing.NewTable(table.Updated, append(
		table.Rows,
		pricing.Row{Model: "future", Until: change, Rates: pricing.Rates{Input: 3 * usd, CacheRead: 1 * usd, Output: 20 * usd}, Fast: 2},
		pricing.Row{Model: "future", From: change, Rates: pricing.Rates{Input: 2 * usd, CacheRead: 0.5 * usd, Output: 10 * usd}},
	))
}

// raisedPrices double the prices of opus, and include the model "future" but not
// sonnet.
func raisedPrices() *pricing.Table {
	table := testPrices()
	var rows []pricing.Row
	for _, r := range table.Rows {
		if r.Model == "opus" {
			future := r
			future.Model = "future"
			r.Rates = pricing.Rates{Input: 2 * r.Input, CacheWrite5m: 2 * r.CacheWrite5m, CacheWrite1h: 2 * r.CacheWrite1h, CacheRead: 2 * r.CacheRead, Output: 2 * r.Output}
			rows = append(rows, r, future)
		}
	}
	return pricing.NewTable(table.Updated, rows)
}
