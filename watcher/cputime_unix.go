//go:build linux || darwin || freebsd

package watcher

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time used by the current thread. Unlike the time of day,
// it does not include the time that other processes used.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
