package torture

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

const dayMillis = 24 * 60 * 60 * 1000

// grown returns a series that grew by some numbers on the days since the epoch.
func grown(family string, labels map[string]string, byDay ...uint64) api.HistorySeries {
	s := api.HistorySeries{Family: family, Labels: labels}
	for day, n := range byDay {
		start := int64(day) * dayMillis
		s.Increases = append(s.Increases, counters.Increase{Start: start, End: start + 300_000, Value: n, Sum: 10 * n})
		s.Value, s.Sum = s.Value+n, s.Sum+10*n
	}
	return s
}

func TestCheckSums(t *testing.T) {
	right := grown("claude_tokens_total", nil, 1, 2)
	value, sum := right, right
	value.Value++
	sum.Sum--
	for name, tt := range map[string]struct {
		series []api.HistorySeries
		want   string
	}{
		"equal":         {[]api.HistorySeries{right}, ""},
		"another value": {[]api.HistorySeries{right, value}, "claude_tokens_total map[]: the increases add up to 3 and 30, want 4 and 30"},
		"another sum":   {[]api.HistorySeries{sum}, "add up to 3 and 30, want 3 and 29"},
		"none":          {nil, "no series"},
	} {
		if text := errorText(checkSums(tt.series)); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: got %q, want %q", name, text, tt.want)
		}
	}
}

func TestDaily(t *testing.T) {
	tr := newTree(t.TempDir(), nil)
	started := time.UnixMilli(2 * dayMillis)
	label := func(pairs ...string) map[string]string {
		labels := make(map[string]string)
		for i := 0; i < len(pairs); i += 2 {
			labels[pairs[i]] = pairs[i+1]
		}
		return labels
	}
	days := func(all ...api.HistorySeries) map[string]uint64 { return tr.daily(all, started) }
	base := days(grown("claude_requests_total", label("model", "m", "agent", "main", "stop_reason", "none"), 1, 2, 3, 4))
	for name, tt := range map[string]struct {
		other map[string]uint64
		want  string
	}{
		"equal":                         {base, ""},
		"another agent and stop reason": {days(grown("claude_requests_total", label("model", "m", "agent", "subagent", "stop_reason", "end"), 1, 2, 3, 4)), ""},
		"two agents": {days(grown("claude_requests_total", label("model", "m", "agent", "subagent"), 1, 1, 3, 0),
			grown("claude_requests_total", label("model", "m", "agent", "main"), 0, 1, 0, 4)), ""},
		"later in the run": {days(grown("claude_requests_total", label("model", "m"), 1, 2, 1, 6)), ""},
		"lines and sessions": {days(grown("claude_requests_total", label("model", "m"), 1, 2, 3, 4), grown("ccwatchd_lines_total", nil, 1),
			grown("claude_sessions_total", nil, 1), grown("claude_turns_total", nil, 1)), ""},
		"another model": {days(grown("claude_requests_total", label("model", "x"), 1, 2, 3, 4)), "map[model:m] 1970-01-01: want 1, got 0"},
		"another day":   {days(grown("claude_requests_total", label("model", "m"), 2, 1, 3, 4)), "map[model:m] 1970-01-02: want 2, got 1"},
		"less":          {days(grown("claude_requests_total", label("model", "m"), 1, 2, 3, 3)), "in the run: want 7, got 6"},
		"more series":   {days(grown("claude_requests_total", label("model", "m"), 1, 2, 3, 4), grown("claude_x_total", nil, 1)), "claude_x_total map[] 1970-01-01: want 0, got 1"},
	} {
		if text := errorText(diffDays(base, tt.other)); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: got %q, want %q", name, text, tt.want)
		}
	}
}
