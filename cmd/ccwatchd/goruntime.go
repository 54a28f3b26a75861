package main

import (
	"runtime"
	"runtime/debug"
)

// tuneGC sets the target of the garbage collector unless GOGC is set, and turns memory
// profiling off, which nothing reads.
func (c *command) tuneGC() {
	runtime.MemProfileRate = 0
	if c.env("GOGC") == "" {
		c.heapGrowth.start()
	}
}

// caughtUp prepares the process for following files: it returns the memory used for
// catching up to the operating system, and runs goroutines one at a time unless
// GOMAXPROCS is set. A new line passes through several goroutines, none of which can
// work while another one does. With more processors, the runtime wakes an idle thread
// at each of these transitions, which takes a third of the CPU time of a line.
func (c *command) caughtUp() {
	c.ready.Store(true)
	if c.env("GOGC") == "" {
		c.heapGrowth.stop()
	}
	debug.FreeOSMemory()
	if c.env("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
