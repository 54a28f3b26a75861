package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"
)

// In a terminal a daemon prints the address of its page. Until it is ready it logs only
// warnings, unless a level is given.
func TestStartInTerminal(t *testing.T) {
	const caughtUp = "Caught up, serving"
	p, empty := newSandbox(t), newSandbox(t)
	p.writeSession(t)
	for _, test := range []struct {
		in               sandbox
		flag, last, want string
	}{
		{p, "--log.format=logfmt", caughtUp, `^[^\n]* level=WARN [^\n]*zero_window[^\n]*\npage +http://127\.0\.0\.1:\d+/\r\nmetrics +http://[^\n]*/metrics\r\nsettings.json \{"statusLine": [^\n]*\nnext: ccwatchd service install, [^\n]*\n[^\n]* level=INFO [^\n]*msg="Caught up, serving metrics"`},
		{p, "--log.level=info", caughtUp, `(?s)^[^\n]* level=INFO [^\n]*msg="Starting ccwatchd".*\npage  .*msg="Caught up, serving metrics"`},
		{empty, "--log.format=logfmt", "Found no sessions", `next: [^\n]*\n[^\n]* level=INFO [^\n]*msg="Caught up, [^\n]*\n[^\n]* level=INFO [^\n]*msg="Found no sessions`},
	} {
		d := test.in.daemon(t, test.flag)
		terminal, program := openTerminal(t)
		d.cmd.Stdout, d.cmd.Stderr = program, program
		d.run()
		var got strings.Builder
		for buffer := make([]byte, 4096); !strings.Contains(got.String(), test.last); {
			n, err := terminal.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			got.Write(buffer[:n])
		}
		if !regexp.MustCompile(test.want).MatchString(got.String()) {
			t.Errorf("%s: got\n%s", test.flag, got.String())
		}
		d.kill()
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

// Names from files cannot send commands to the terminal when metrics or the status are
// printed.
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
