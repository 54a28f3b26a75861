package daemon

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"
)

// descriptors returns how many there are.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// A daemon that has ended has left nothing behind.
func TestNothingLeaks(t *testing.T) {
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	w.shows(counted(2, 1))
	w.halt()
	current, before := goleak.IgnoreCurrent(), descriptors(t)
	for i := range 20 {
		w.launch()
		if i%2 == 0 { // else while it catches up
			w.add("p/a.jsonl", said(fmt.Sprint(i), 1))
			w.shows(totals{requests: uint64(3 + i/2)})
		}
		if i%4 == 0 {
			w.reload()
		}
		w.halt()
	}
	goleak.VerifyNone(t, current)
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// What a daemon costs does not depend on how many files there are.
func TestCostOfManyFiles(t *testing.T) {
	const many = 500
	w := newWorld(t)
	for i := range many {
		w.write(fmt.Sprintf("p%d/%d.jsonl", i%20, i), said(fmt.Sprint(i), 1))
	}
	descriptorsBefore, goroutinesBefore := descriptors(t), runtime.NumGoroutine()
	w.start()
	w.shows(counted(many, many))
	for i := range many {
		w.add(fmt.Sprintf("p%d/%d.jsonl", i%20, i), said(fmt.Sprint("more", i), 1))
	}
	w.shows(counted(2*many, 2*many))
	if n := descriptors(t) - descriptorsBefore; n > 10 {
		t.Errorf("%d descriptors for %d files", n, many)
	}
	if n := runtime.NumGoroutine() - goroutinesBefore; n > 10 {
		t.Errorf("%d goroutines for %d files", n, many)
	}
}
