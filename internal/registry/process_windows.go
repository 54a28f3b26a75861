package registry

import (
	"errors"
	"math"
	"syscall"
)

const (
	queryLimitedInformation = 0x1000
	stillActive             = 259
)

// exists reports whether a process of any user exists. Another program's handle may
// keep the id of an ended process.
func exists(pid int) bool {
	if pid > math.MaxUint32 {
		return false
	}
	process, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = syscall.CloseHandle(process) }()
	var code uint32
	return syscall.GetExitCodeProcess(process, &code) != nil || code == stillActive
}
