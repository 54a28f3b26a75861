package torture

import (
	"errors"
	"os"
	"syscall"
)

func attributes(bool) *syscall.SysProcAttr { return nil }

func mayReadAll() bool { return false }

func pause(*os.Process) error  { return errors.ErrUnsupported }
func resume(*os.Process) error { return errors.ErrUnsupported }
func reload(*os.Process) error { return errors.ErrUnsupported }
func give(string) error        { return errors.ErrUnsupported }
