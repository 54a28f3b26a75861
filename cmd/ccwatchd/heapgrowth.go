package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// gcPercent is the default of GOGC. Reading and scrapes produce little garbage, so
	// collecting it early costs little and keeps the process small.
	gcPercent = 25
	// largeHeap is the size in bytes from which largePercent takes the place of gcPercent:
	// nearly all of a large heap is rows without pointers, which cost no time to collect.
	largeHeap    = 128 << 20
	largePercent = 10
	// catchUpGrowth and liveGrowth are the minimum growth of the heap in bytes between two
	// collections, during and after a catch-up. With gcPercent alone, a small heap would
	// be collected for every fifty lines.
	catchUpGrowth = 10 << 20
	liveGrowth    = 4 << 20
	// smallestHeap is the heap size in bytes at the first collection with GOGC=100.
	smallestHeap = 4 << 20
)

// A heapGrowth sets GOGC after each collection of garbage, so that the heap may grow by
// gcPercent or by a minimum, whichever is more.
type heapGrowth struct{ minimum atomic.Uint64 }

func (g *heapGrowth) start() {
	g.minimum.Store(catchUpGrowth)
	debug.SetGCPercent(100 * catchUpGrowth / smallestHeap)
	g.await()
}

// caughtUp lowers the minimum from the next collection on.
func (g *heapGrowth) caughtUp() { g.minimum.Store(liveGrowth) }

// await calls adjust after the next collection, which frees an unused object. A smaller
// object might share its memory block with a live object.
func (g *heapGrowth) await() { runtime.AddCleanup(new([64]byte), (*heapGrowth).adjust, g) }

func (g *heapGrowth) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	bytes := live[0].Value.Uint64()
	debug.SetGCPercent(int(max(percentOf(bytes), 100*g.minimum.Load()/max(bytes, 1))))
	g.await()
}

// percentOf returns GOGC for a heap of a size in bytes.
func percentOf(live uint64) uint64 {
	if live >= largeHeap {
		return largePercent
	}
	return gcPercent
}
