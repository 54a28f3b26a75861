//go:build unix

package registry

import (
	"errors"
	"math"
	"syscall"
)

// exists reports whether a process exists, including those of other users. pid must be
// positive: others mean groups of processes. Of larger numbers than an id can be, the
// kernel uses the low 32 bits.
func exists(pid int) bool {
	if pid > math.MaxInt32 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
