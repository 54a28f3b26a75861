package registry

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
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

func domain() string {
	name, _ := os.Hostname()
	return "win32:" + strings.ToLower(name)
}

// ticksAt1601 is the difference between .NET's ticks and a FILETIME, which are both in
// units of 100 ns. Claude Code states the start of a process in either.
const ticksAt1601 = 504_911_232_000_000_000

// startedAt compares the time of the creation of a process.
func startedAt(pid int, stated string) bool {
	process, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return true
	}
	defer func() { _ = syscall.CloseHandle(process) }()
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return true
	}
	n := int64(created.HighDateTime)<<32 | int64(created.LowDateTime)
	return stated == strconv.FormatInt(n, 10) || stated == strconv.FormatInt(n+ticksAt1601, 10)
}
