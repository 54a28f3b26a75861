// Package ledgertest has options of a ledger for tests.
package ledgertest

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
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
		},
		UnknownProject: "unknown",
		ActiveFor:      (5 * time.Minute).Milliseconds(),
	}
}
