package play

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// open starts a program on a terminal of its own.
func open(cmd *exec.Cmd) (*terminal, error) {
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	tty, err := tty(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	defer tty.Close() //nolint:errcheck // the program has it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	t := &terminal{file: file, cmd: cmd, ended: make(chan struct{})}
	go t.read()
	return t, nil
}

// tty opens the program's side of a terminal.
func tty(file *os.File) (*os.File, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var number int
	var failed error
	err = raw.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed != nil {
			return
		}
		if number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); failed != nil {
			return
		}
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 150})
	})
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
}
