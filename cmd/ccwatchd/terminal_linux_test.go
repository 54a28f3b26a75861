package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"

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

// Names from files cannot send commands to the terminal in which their metrics, or the
// status, are printed.
func TestMetricsInTerminal(t *testing.T) {
	p := newSandbox(t)
	s := p.newSession(t, "evil")
	appendFile(t, s.path, strings.Replace(s.prompt("go"), "/home/dev/evil", `/home/dev/\u001b[2J\u009b31m\u202egnp\u200b`, 1))
	terminal, program := openTerminal(t)
	if code := run([]string{"once", "--log.level=error"}, p.getenv, program, io.Discard); code != 0 {
		t.Fatalf("got code %d", code)
	}
	if _, err := program.WriteString("the end\n"); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for buffer := make([]byte, 4096); !strings.HasSuffix(text.String(), "the end\r\n"); {
		n, err := terminal.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(buffer[:n])
	}
	got := strings.ReplaceAll(text.String(), "\r\n", "")
	if i := strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || !strings.Contains(got, `project="[2J31m\u202egnp\u200b"`) {
		t.Errorf("got %q at %d in\n%s", got[max(0, i):min(len(got), max(0, i)+40)], i, got)
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
