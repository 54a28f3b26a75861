package torture

import (
	"errors"
	"os"
	"syscall"
)

func sysProcAttr(bool) *syscall.SysProcAttr { return nil }

func isRoot() bool { return false }

func sigstop(*os.Process) error { return errors.ErrUnsupported }
func sigcont(*os.Process) error { return errors.ErrUnsupported }
func chown(string) error        { return errors.ErrUnsupported }
