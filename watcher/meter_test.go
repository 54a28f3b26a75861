package watcher

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A single slow check, for example of directories that are not cached, changes the cost
// little.
func TestMeasuredCost(t *testing.T) {
	var m meter
	if got := m.cost(); got != 0 {
		t.Errorf("got %v s before the first measurement, want 0", got)
	}
	for range 100 {
		m.add(10, 10*time.Microsecond)
	}
	m.add(0, time.Hour)
	m.add(10, 90*time.Microsecond)
	if got := m.cost() * 1e6; got < 1.99 || got > 2.01 {
		t.Errorf("got %v µs, want 2: an eighth of the way from 1 to 9", got)
	}
}

// A check of a few items, each of which costs more than one of many, counts as few.
func TestCostOfFewItems(t *testing.T) {
	var m meter
	for range 100 {
		m.add(5, 80*time.Microsecond)
		m.add(500, 1000*time.Microsecond)
	}
	if got := m.cost() * 1e6; got < 2.1 || got > 2.2 {
		t.Errorf("got %v µs, want 1080 µs of 505 items", got)
	}
}

func TestMeasure(t *testing.T) {
	var m meter
	m.measure(func() int {
		start := threadTime()
		polltest.Eventually(t, "some CPU time is used", func() bool { return threadTime() > start })
		return 1
	})
	if m.cost() <= 0 {
		t.Errorf("got cost %v, want a positive one", m.cost())
	}
}
