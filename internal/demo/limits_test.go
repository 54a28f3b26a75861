package demo

import (
	"testing"
	"time"
)

// Every person has both windows, which end in the future and differ.
func TestLimits(t *testing.T) {
	s, _ := newSimulation(t, Options{People: 4, Speed: 1}, start)
	resets := make(map[time.Time]bool)
	for _, w := range s.Limits(start) {
		if w.Used < 0 || w.Used > 1 || !w.Resets.After(start) || w.Source == "" {
			t.Errorf("got %+v", w)
		}
		resets[w.Resets] = true
	}
	if len(resets) != 8 {
		t.Errorf("got %d times of a reset, want 8", len(resets))
	}
}
