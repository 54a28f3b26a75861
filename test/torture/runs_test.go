package torture

import (
	"fmt"
	"testing"
)

// Runs are compared with the number of sub-agents alone.
func TestRunsOfTorture(t *testing.T) {
	for _, test := range []struct {
		subagents, runs int
		want            string
	}{
		{3, 3, ""},
		{3, 2, "got 2 runs of 3 sub-agents"},
		{3, 4, "got 4 runs of 3 sub-agents"},
	} {
		samples := parse(t, fmt.Sprintf("# TYPE claude_subagents_total counter\nclaude_subagents_total{kind=\"task\"} %d\n"+
			"# TYPE claude_subagent_runs_total counter\nclaude_subagent_runs_total %d\n", test.subagents, test.runs))
		if got := errorText(checkRuns(samples)); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if got := newTree(t.TempDir(), nil).comparable(samples); len(got) != 1 {
			t.Errorf("got comparable series %v, want only sub-agents", got)
		}
	}
}
