package main

import (
	"runtime"
	"runtime/debug"
)

// gcPercent is the default of GOGC. Reading and scrapes produce little garbage, so
// collecting it early costs little and keeps the process small.
const gcPercent = 25

// tuneGC sets the target of the garbage collector unless GOGC is set, and turns memory
// profiling off unless profiles are served.
func (c *command) tuneGC() {
	if !c.serverFlags.profiling {
		runtime.MemProfileRate = 0
	}
	if c.env("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// freeMemory returns the memory used for catching up to the operating system.
func (c *command) freeMemory() {
	debug.FreeOSMemory()
}
