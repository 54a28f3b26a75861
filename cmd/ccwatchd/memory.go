package main

import "runtime/debug"

// restingGC is the garbage that may gather while nothing is caught up with, in
// percent of what is in use. There is little of it then, so that collecting it
// early costs next to nothing and keeps the process small.
const restingGC = 25

// settleDown gives back what catching up has taken. Whoever sets GOGC knows
// better.
func (c *command) settleDown() {
	if c.env("GOGC") == "" {
		debug.SetGCPercent(restingGC)
	}
	debug.FreeOSMemory()
}
