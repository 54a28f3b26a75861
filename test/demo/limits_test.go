package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// Every person has two windows, which end in the future and differ; one has none of
// five hours, but two of the same week.
func TestLimits(t *testing.T) {
	s := newSimulation(t, Options{People: 4, Speed: 1}, start)
	resets := make(map[int64]bool)
	for _, p := range s.People {
		for window, u := range p.Limits(start).Limits {
			if err := u.Check(window, start); err != nil || *u.Percentage > 100 {
				t.Errorf("%s %s: %v, %v %%", p.Name, window, err, *u.Percentage)
			}
			resets[*u.Resets] = true
		}
	}
	if _, fiveHours := s.People[3].Limits(start).Limits["five_hour"]; fiveHours || len(resets) != 7 {
		t.Errorf("got %d times of a reset, want 7, and the window of five hours of everybody (%t)", len(resets), fiveHours)
	}
}

// Some sessions reach a limit, as their errors state.
func TestLimitsAreReached(t *testing.T) {
	s := newSimulation(t, Options{Seed: 1, People: 2, Speed: 1000}, start)
	reached := make(map[string]bool)
	for now, i := start, 0; i < 15 && len(reached) < 2; i++ {
		now = advance(t, s, now, time.Second, 2)
		for _, content := range transcripttest.ReadTree(t, s.Dir()) {
			for _, window := range []string{"five_hour", "seven_day"} {
				if strings.Contains(content, `"status":"rejected"`) && strings.Contains(content, `"rateLimitType":"`+window+`"`) {
					reached[window] = true
				}
			}
		}
	}
	if len(reached) != 2 {
		t.Errorf("got errors about %v, want both windows", reached)
	}
}
