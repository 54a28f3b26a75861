package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// gcPercent is the default of GOGC. Reading and scrapes produce little garbage, so
	// collecting it early costs little and keeps the process small.
	gcPercent = 25
	// minGrowth is how much the heap may grow between two collections during a
	// catch-up even if gcPercent of it is less, in bytes. Otherwise most of the
	// collections would take place while the heap is smaller than it will be.
	minGrowth = 10 << 20
	// smallestHeap is the size up to which the runtime lets the heap grow with GOGC=100
	// before the first collection.
	smallestHeap = 4 << 20
)

// A heapGrowth sets GOGC after each collection of garbage, so that the heap may grow by
// gcPercent or by minGrowth, whichever is more.
type heapGrowth struct {
	mu      sync.Mutex
	stopped bool
}

func (g *heapGrowth) start() {
	debug.SetGCPercent(100 * minGrowth / smallestHeap)
	g.await()
}

// await calls adjust after the next collection, which frees an object made for that. A
// smaller object might share its memory with one that lives on.
func (g *heapGrowth) await() { runtime.AddCleanup(new([64]byte), (*heapGrowth).adjust, g) }

func (g *heapGrowth) adjust() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(int(max(gcPercent, 100*minGrowth/max(live[0].Value.Uint64(), 1))))
	g.await()
}

// stop sets GOGC to gcPercent, for good.
func (g *heapGrowth) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	debug.SetGCPercent(gcPercent)
}
