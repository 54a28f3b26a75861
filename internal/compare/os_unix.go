//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the largest memory that a process, or one that it waited for,
// had in use at a time, in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(usage.Maxrss) << 10
}
