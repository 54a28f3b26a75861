package torture

import (
	"fmt"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// isOfRuns reports whether a family is about the runs of sub-agents, or by their type.
func isOfRuns(family string) bool { return strings.HasPrefix(family, "claude_subagent_") }

// checkRuns checks that every sub-agent that was counted is a run.
func checkRuns(samples exposition.Samples) error {
	runs, _ := samples.Sum("claude_subagent_runs_total")
	subagents, _ := samples.Sum("claude_subagents_total")
	if runs != subagents {
		return fmt.Errorf("got %v runs of %v sub-agents", runs, subagents)
	}
	return nil
}
