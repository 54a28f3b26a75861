// Package ledgertest has ledgers and their options for tests.
package ledgertest

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
)

// Options returns options with limits and buckets that lose nothing that tests count.
func Options() ledger.Options {
	return ledger.Options{
		Limits: map[string]int{"project": 1000, "tool": 1000, "model": 1000, "command": 1000},
		Buckets: map[string][]float64{
			"claude_tool_duration_seconds": {.1, 1, 10},
			"claude_turn_duration_seconds": {1, 60},
			"claude_turn_seconds":          {10, 60},
			"claude_turn_requests":         {1, 5},
			"claude_turn_tool_calls":       {0, 5},
			"claude_compaction_pre_tokens": {1000, 100000},

			"claude_request_duration_seconds":    {2, 10},
			"claude_request_first_block_seconds": {1, 5},
			"claude_compaction_duration_seconds": {30, 60},
			"claude_session_duration_seconds":    {60, 3600},
			"claude_session_prompts":             {1, 3},
			"claude_session_requests":            {1, 5},
			"claude_request_context_tokens":      {1000, 100000},
			"claude_request_output_tokens":       {10, 1000},
			"claude_hook_duration_seconds":       {1},
		},
		UnknownProject: "unknown",
		ActiveFor:      (5 * time.Minute).Milliseconds(),
		Prices:         Prices(),
		FineHistory:    (62 * 24 * time.Hour).Milliseconds(),
	}
}

// New returns an empty ledger with these options, which change may change unless it is
// nil.
func New(birth time.Time, change func(*ledger.Options)) *ledger.Ledger {
	o := Options()
	if change != nil {
		change(&o)
	}
	return ledger.New(o, birth.UnixMilli())
}

// Prices returns the built-in prices, and prices for the models in package
// transcripttest except haiku.
func Prices() *pricing.Table {
	const usd = 1_000_000
	list := pricing.Default()
	prices, err := list.With([]pricing.Row{
		{Model: "opus", Fast: 2, Rates: pricing.Rates{Input: 5 * usd, CacheWrite5m: 6.25 * usd, CacheWrite1h: 10 * usd, CacheRead: 0.5 * usd, Output: 25 * usd}},
		{
			Model: "sonnet", Rates: pricing.Rates{Input: 3 * usd, CacheWrite5m: 3.75 * usd, CacheWrite1h: 6 * usd, CacheRead: 0.3 * usd, Output: 15 * usd},
			LongPrompt: 20_000, Long: pricing.Rates{Input: 6 * usd, CacheWrite5m: 7.5 * usd, CacheWrite1h: 12 * usd, CacheRead: 0.6 * usd, Output: 22.5 * usd},
		},
	})
	if err != nil {
		panic(err)
	}
	return prices
}
