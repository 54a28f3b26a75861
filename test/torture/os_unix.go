//go:build unix

package torture

import (
	"os"
	"syscall"
)

// nobodyID is the user and group id of an unprivileged user.
const nobodyID = 65534

// sysProcAttr keeps the signals of a terminal from the daemon, and optionally runs it
// as an unprivileged user.
func sysProcAttr(unprivileged bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if unprivileged {
		a.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	return a
}

func isRoot() bool { return os.Geteuid() == 0 }

func sigstop(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func sigcont(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// chown gives a directory to the unprivileged user.
func chown(dir string) error { return os.Chown(dir, nobodyID, nobodyID) }
