package watcher

import (
	"runtime"
	"time"
)

var processStart = time.Now()

// wallTime returns the time since the start of the process.
func wallTime() time.Duration { return time.Since(processStart) }

// cpuTime returns the CPU time that a function uses on its own goroutine.
func cpuTime(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	f()
	return threadTime() - start
}
