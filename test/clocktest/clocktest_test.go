package clocktest

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	c := New()
	before := c.Now()
	c.Advance(time.Minute)
	c.Sleep(time.Hour)
	after := c.Now()
	if got := after.Sub(before); got != time.Minute {
		t.Errorf("the monotonic clock has advanced by %v, want a minute", got)
	}
	if got := after.Round(0).Sub(before.Round(0)); got != time.Hour+time.Minute {
		t.Errorf("the wall clock has advanced by %v, want an hour and a minute", got)
	}
}
