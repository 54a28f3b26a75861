package main

import "runtime/debug"

// The garbage that may gather, in percent of what is in use. Reading files makes
// so little of it that collecting it early costs next to nothing, and keeps the
// process small while there is most to hold. At rest it is scrapes that make it,
// whenever there is one.
const (
	readingGC = 10
	restingGC = 25
)

// spareMemory lets only so much garbage gather. Whoever sets GOGC knows better;
// GOMEMLIMIT holds in any case.
func (c *command) spareMemory(percent int) {
	if c.env("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// settleDown gives back what catching up has taken.
func (c *command) settleDown() {
	c.spareMemory(restingGC)
	debug.FreeOSMemory()
}
