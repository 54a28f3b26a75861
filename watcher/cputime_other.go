//go:build !linux && !darwin && !freebsd

package watcher

import "time"

// threadTime returns the time of the wall clock, which is an upper bound of the CPU
// time that a thread uses. These systems measure that time not at all or in steps of 15
// ms.
func threadTime() time.Duration { return wallTime() }
