package main

import (
	"runtime"
	"runtime/debug"
)

// maxGarbage is the garbage that may gather, in percent of what is in use. Neither
// reading files nor a scrape makes much of it, so that collecting it early costs
// little and keeps the process small.
const maxGarbage = 25

// spareMemory lets only so much garbage gather, and takes down where memory comes
// from only if somebody can ask for it. Whoever sets GOGC knows better; GOMEMLIMIT
// holds in any case.
func (c *command) spareMemory() {
	if !c.endpoint.profiling {
		runtime.MemProfileRate = 0
	}
	if c.env("GOGC") == "" {
		debug.SetGCPercent(maxGarbage)
	}
}

// settleDown gives back what catching up has taken.
func (c *command) settleDown() {
	debug.FreeOSMemory()
}
