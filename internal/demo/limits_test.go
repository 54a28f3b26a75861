package demo

import (
	"testing"
	"time"
)

// Every person has both windows, which end in the future and differ.
func TestLimits(t *testing.T) {
	now := time.Now()
	s, err := New(Options{People: 4, Speed: 1}, now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	resets := make(map[time.Time]bool)
	for _, w := range s.Limits(now) {
		if w.Used < 0 || w.Used > 1 || !w.Resets.After(now) || w.Source == "" {
			t.Errorf("got %+v", w)
		}
		resets[w.Resets] = true
	}
	if len(resets) != 8 {
		t.Errorf("got %d times of a reset, want 8", len(resets))
	}
}
