//go:build unix

package registry

import (
	"errors"
	"syscall"
)

// exists reports whether a process exists, including those of other users. pid must be
// positive: others mean groups of processes.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
