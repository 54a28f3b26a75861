package main

import (
	"runtime"
	"runtime/debug"
)

// tuneGC sets the target of the garbage collector unless GOGC is set, and turns off
// memory profiling, which is unused.
func (c *command) tuneGC() {
	runtime.MemProfileRate = 0
	if c.env("GOGC") == "" {
		c.heapGrowth.start()
	}
}

// caughtUp prepares the process for following files. It returns the memory used for
// catching up to the operating system, and runs goroutines one at a time unless
// GOMAXPROCS is set. A new line passes through several goroutines in sequence. With
// more processors, the runtime would wake an idle thread at each transition, which
// takes a third of the CPU time of a line.
func (c *command) caughtUp() {
	c.ready.Store(true)
	c.heapGrowth.caughtUp()
	debug.FreeOSMemory()
	if c.env("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
