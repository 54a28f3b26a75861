//go:build unix

package registry

import (
	"errors"
	"math"
	"syscall"
)

// exists reports whether a process of any user exists. pid must be positive, because 0
// and negative numbers mean process groups. The kernel would use only the low 32 bits
// of a larger number.
func exists(pid int) bool {
	if pid > math.MaxInt32 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
