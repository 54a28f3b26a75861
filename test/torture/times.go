package torture

import (
	"fmt"
	"slices"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// requestTimes and sessionTimes are the families of how long requests and sessions
// took. What a request took depends on which copy of its message ended first, and what
// a session contained on how much of it was written when it was observed: its lines are
// older than a day.
var (
	requestTimes = []string{"claude_request_duration_seconds", "claude_request_first_block_seconds"}
	sessionTimes = []string{"claude_session_duration_seconds", "claude_session_prompts", "claude_session_requests"}
)

// isOfTimes reports whether a family is of the times of requests and sessions.
func isOfTimes(family string) bool {
	return slices.Contains(requestTimes, family) || slices.Contains(sessionTimes, family) ||
		family == "claude_request_timed_output_tokens_total" || family == "claude_request_timed_seconds_total"
}

// checkTimes checks that every session was observed once, and that most requests were,
// each once.
func checkTimes(samples exposition.Samples) error {
	sessions, _ := samples.Sum("claude_sessions_total")
	for _, name := range sessionTimes {
		if got, _ := samples.Sum(name + "_count"); got != sessions {
			return fmt.Errorf("%s_count: want %v, got %v", name, sessions, got)
		}
	}
	requests, _ := samples.Sum("claude_requests_total")
	for _, name := range requestTimes {
		if got, _ := samples.Sum(name + "_count"); got > requests || got < requests/2 {
			return fmt.Errorf("%s_count: want most of %v, got %v", name, requests, got)
		}
	}
	return nil
}

// compareTimes checks that at least as many requests were observed as in another
// reading of the same files. While lines are dropped from a file, another line can
// cause a request.
func compareTimes(samples, with exposition.Samples) error {
	for _, name := range requestTimes {
		least, _ := with.Sum(name + "_count")
		if got, _ := samples.Sum(name + "_count"); got < least {
			return fmt.Errorf("%s_count: want at least %v, got %v", name, least, got)
		}
	}
	return nil
}
