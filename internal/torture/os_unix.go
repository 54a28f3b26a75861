//go:build unix

package torture

import (
	"os"
	"syscall"
)

// nobody is the number of a user without any rights.
const nobody = 65534

// attributes keep the signals of a terminal from the daemon. A root may read
// everything, so it runs as somebody else if it can.
func attributes(other bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if other {
		a.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return a
}

// mayReadAll reports whether modes of files do not bind this process.
func mayReadAll() bool { return os.Geteuid() == 0 }

func pause(p *os.Process) error  { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
func reload(p *os.Process) error { return p.Signal(syscall.SIGHUP) }

// give makes a directory that of the user as whom the daemon runs.
func give(dir string) error { return os.Chown(dir, nobody, nobody) }
