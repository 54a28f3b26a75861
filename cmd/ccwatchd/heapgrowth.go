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
	// minGrowth is the minimum growth of the heap in bytes between two collections during
	// a catch-up. With gcPercent alone, most collections would happen while the heap is
	// still small.
	minGrowth = 10 << 20
	// smallestHeap is the heap size in bytes at the first collection with GOGC=100.
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

// await calls adjust after the next collection, which frees an unused object. A smaller
// object might share its memory block with a live object.
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

// stop sets GOGC to gcPercent permanently.
func (g *heapGrowth) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	debug.SetGCPercent(gcPercent)
}
