package watcher

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
)

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no list of descriptors here:", err)
	}
	return len(entries)
}

// However many files and directories there are, it takes three goroutines and a few descriptors, and leaves none behind.
func TestNothingIsLeftBehind(t *testing.T) {
	needsEvents(t)
	dir := t.TempDir()
	for i := range 300 {
		write(t, dir, fmt.Sprint(i), "p/a.log")
	}
	// The runtime keeps a few descriptors for itself once they were needed: have it do so before they are counted.
	once := func() (files, goroutines int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		idle := runtime.NumGoroutine()
		w := New(options(dir))
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		poll(t, "the first walk", func() bool { return w.Stats().Watched == 601 && w.Stats().Scans == 1 })
		files, goroutines = descriptors(t), runtime.NumGoroutine()-idle
		cancel()
		wg.Wait()
		return files, goroutines
	}
	once()
	before := descriptors(t)
	for range 20 {
		files, goroutines := once()
		if files > before+2 || goroutines > 3 {
			t.Errorf("%d descriptors more than without it, and %d goroutines", files-before, goroutines)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before and %d after", before, after)
	}
}
