package torture

import (
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// The times of requests and sessions are compared by their numbers alone.
func TestTimesOfTorture(t *testing.T) {
	samples := func(sessions, ended, requests, observed int) exposition.Samples {
		text := fmt.Sprintf("# TYPE claude_sessions_total counter\nclaude_sessions_total %d\n# TYPE claude_requests_total counter\nclaude_requests_total %d\n", sessions, requests)
		text += "# TYPE claude_request_timed_seconds_total counter\nclaude_request_timed_seconds_total 7\n"
		for _, name := range append(sessionTimes, requestTimes...) {
			count := observed
			if name == "claude_session_prompts" {
				count = ended
			} else if name != requestTimes[0] && name != requestTimes[1] {
				count = sessions
			}
			text += fmt.Sprintf("# TYPE %s histogram\n%[1]s_bucket{le=\"1\"} 1\n%[1]s_bucket{le=\"+Inf\"} %[2]d\n%[1]s_sum 9\n%[1]s_count %[2]d\n", name, count)
		}
		return parse(t, text)
	}
	if got := newTree(t.TempDir(), nil).comparable(samples(2, 2, 9, 8)); len(got) != 2 {
		t.Errorf("got comparable series %v, want only sessions and requests", got)
	}
	for _, test := range []struct {
		sessions, ended, requests, observed int
		want                                string
	}{
		{2, 2, 9, 9, ""},
		{2, 2, 9, 7, ""},
		{2, 1, 9, 9, "claude_session_prompts_count: want 2, got 1"},
		{2, 3, 9, 9, "claude_session_prompts_count: want 2, got 3"},
		{2, 2, 9, 10, "claude_request_duration_seconds_count: want most of 9, got 10"},
		{2, 2, 9, 4, "claude_request_duration_seconds_count: want most of 9, got 4"},
	} {
		if got := errorText(checkTimes(samples(test.sessions, test.ended, test.requests, test.observed))); got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
	want := "claude_request_duration_seconds_count: want at least 8, got 7"
	if got := errorText(compareTimes(samples(1, 1, 9, 7), samples(1, 1, 9, 8))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
