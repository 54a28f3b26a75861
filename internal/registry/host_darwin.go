package registry

import (
	"time"

	"golang.org/x/sys/unix"
)

func domain() string { return "darwin" }

// startedAt compares the time of the start of a process, as "ps -o lstart=" prints it
// in UTC.
func startedAt(pid int, stated string) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err != nil || time.Unix(p.Proc.P_starttime.Unix()).UTC().Format(time.ANSIC) == stated
}
