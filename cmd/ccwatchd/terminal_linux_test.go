package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// In a terminal a daemon prints where to look.
func TestWelcomeInTerminal(t *testing.T) {
	p := newSandbox(t)
	d := p.daemon(t)
	terminal, program := openTerminal(t)
	d.cmd.Stdout = program
	d.run().listens()
	want := fmt.Sprintf("ccwatchd is running.\r\n\r\n  http://%s/ ", d.address)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(terminal, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// Samples are not written to a terminal.
func TestBackfillToTerminal(t *testing.T) {
	_, program := openTerminal(t)
	var stderr strings.Builder
	if code := run([]string{"backfill", noDaemon}, newSandbox(t).getenv, program, &stderr); code != 2 || !strings.Contains(stderr.String(), errTerminal.Error()) {
		t.Errorf("code %d: %s", code, &stderr)
	}
}

// openTerminal returns both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (terminal, program *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	fd := int(terminal.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return terminal, program
}
