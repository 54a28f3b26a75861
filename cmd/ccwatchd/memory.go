package main

import (
	"runtime"
	"runtime/debug"
)

// gcPercent is the garbage that may gather, in percent of the memory in use. Neither
// reading files nor a scrape makes much garbage, so that collecting it early costs
// little and keeps the process small.
const gcPercent = 25

// tuneGC sets the garbage collector, and turns memory profiling off unless profiles
// are served. GOGC takes precedence, and GOMEMLIMIT applies in any case.
func (c *command) tuneGC() {
	if !c.endpoint.profiling {
		runtime.MemProfileRate = 0
	}
	if c.env("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// freeMemory returns the memory that catching up took to the operating system.
func (c *command) freeMemory() {
	debug.FreeOSMemory()
}
