package watcher

import "time"

var processStart = time.Now()

// wallTime returns the time since the start of the process.
func wallTime() time.Duration { return time.Since(processStart) }
