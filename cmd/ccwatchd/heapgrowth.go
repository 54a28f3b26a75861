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
	// largeHeap is the size in bytes from which largePercent takes the place of gcPercent:
	// nearly all of a large heap is rows without pointers, which cost no time to collect.
	largeHeap    = 128 << 20
	largePercent = 10
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
	live := liveHeap()
	debug.SetGCPercent(int(max(percentOf(live), 100*minGrowth/max(live, 1))))
	g.await()
}

// percentOf returns GOGC for a heap of a size in bytes.
func percentOf(live uint64) uint64 {
	if live >= largeHeap {
		return largePercent
	}
	return gcPercent
}

// liveHeap returns the size of the heap at the last collection, in bytes.
func liveHeap() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// stop sets GOGC for the present size of the heap permanently.
func (g *heapGrowth) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	debug.SetGCPercent(int(percentOf(liveHeap())))
}
