package watcher

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A watcher uses three goroutines and few descriptors, regardless of the number of
// files, and releases them.
func TestNothingLeaks(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		write(t, dir, fmt.Sprint(i), "p/a.log")
	}
	run := func() (files, goroutines int) {
		idle := runtime.NumGoroutine()
		c := startWithEvents(t, dir)
		defer c.stop()
		polltest.Eventually(t, "the first walk has ended", func() bool { return c.w.Stats().Watched == 601 && c.w.Stats().Scans == 1 })
		return leaktest.Descriptors(t), runtime.NumGoroutine() - idle
	}
	run() // the runtime opens descriptors of its own when it first needs them
	before := leaktest.Descriptors(t)
	for range 20 {
		if files, goroutines := run(); files > before+2 || goroutines > 3 {
			t.Errorf("got %d more descriptors and %d goroutines, want at most 2 and 3", files-before, goroutines)
		}
	}
	if after := leaktest.Descriptors(t); after != before {
		t.Errorf("got %d descriptors, want %d", after, before)
	}
}
