package torture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// withCounts returns samples with right counts, except for one.
func withCounts(t *testing.T, changed string, to int) exposition.Samples {
	t.Helper()
	values := map[string]int{
		"claude_prompts_total": 10, "claude_requests_total": 10, "claude_sessions_total": 10, "claude_subagents_total": 10,
		`claude_cache_requests_total{result="miss"}`: 3,
		"claude_turns_total":                         8, "claude_turn_seconds_count": 8, "claude_turn_requests_count": 8, "claude_turn_tool_calls_count": 8,
		"claude_request_duration_seconds_count": 8, "claude_request_first_block_seconds_count": 8,
		"claude_session_duration_seconds_count": 10, "claude_session_prompts_count": 10, "claude_session_requests_count": 10,
		"claude_cache_misses_total": 3, "claude_subagent_runs_total": 10, "claude_request_timed_seconds_total": 7,
	}
	if changed != "" {
		values[changed] = to
	}
	var text strings.Builder
	for series, n := range values {
		name, _, _ := strings.Cut(series, "{")
		if family, ok := strings.CutSuffix(name, "_count"); ok {
			fmt.Fprintf(&text, "# TYPE %s histogram\n%[1]s_bucket{le=\"+Inf\"} %[2]d\n%[1]s_sum 9\n%[1]s_count %[2]d\n", family, n)
		} else {
			fmt.Fprintf(&text, "# TYPE %s counter\n%s %d\n", name, series, n)
		}
	}
	return parse(t, text.String())
}

// Some families are compared by their number alone.
func TestCounts(t *testing.T) {
	if got := newTree(t.TempDir(), nil).comparable(withCounts(t, "", 0)); len(got) != 5 {
		t.Errorf("got comparable series %v, want five", got)
	}
	for _, test := range []struct {
		name string
		n    int
		want string
	}{
		{"", 0, ""},
		{"claude_request_duration_seconds_count", 10, ""},
		{"claude_request_duration_seconds_count", 11, "claude_request_duration_seconds_count: want 8 to 10, got 11"},
		{"claude_request_first_block_seconds_count", 7, "claude_request_first_block_seconds_count: want 8 to 10, got 7"},
		{"claude_turns_total", 7, "claude_turns_total: want 8 to 10, got 7"},
		{"claude_turns_total", 11, "claude_turns_total: want 8 to 10, got 11"},
		{"claude_turn_requests_count", 7, "claude_turn_requests_count: want 8 to 8, got 7"},
		{"claude_session_duration_seconds_count", 8, "claude_session_duration_seconds_count: want 9 to 10, got 8"},
		{"claude_session_prompts_count", 9, "claude_session_prompts_count: want 10 to 10, got 9"},
		{"claude_session_prompts_count", 11, "claude_session_prompts_count: want 10 to 10, got 11"},
		{"claude_cache_misses_total", 2, "claude_cache_misses_total: want 3 to 3, got 2"},
		{"claude_subagent_runs_total", 9, "claude_subagent_runs_total: want 10 to 10, got 9"},
	} {
		if got := errorText(checkCounts(withCounts(t, test.name, test.n), withCounts(t, "", 0))); got != test.want {
			t.Errorf("%s %d: got %q, want %q", test.name, test.n, got, test.want)
		}
	}
	none := errorText(checkCounts(withCounts(t, "claude_turns_total", 0), nil))
	if none != "claude_turns_total: want 1 to 10, got 0" {
		t.Errorf("without a turn: got %q", none)
	}
}
