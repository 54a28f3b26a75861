package play

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// start runs a shell script on a terminal.
func start(t *testing.T, script string) *terminal {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a terminal is opened on Linux only")
	}
	term, err := open(exec.CommandContext(t.Context(), "sh", "-c", script))
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func until(t *testing.T, condition string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), polltest.Timeout)
	defer cancel()
	if err := wait(ctx, condition, holds); err != nil {
		t.Fatal(err)
	}
}

func TestTerminal(t *testing.T) {
	term := start(t, `test -t 0 || exit 3; stty size; printf '\033[1mName\033[0m\033[1C?\n'; read name; echo "Hello, $name"; exit 0`)
	until(t, "the question", func() bool { return term.shows("Name ?") })
	if err := term.write("Ada\r"); err != nil {
		t.Fatal(err)
	}
	until(t, "the answer", func() bool { return term.shows("Hello, Ada") })
	if err := term.end(t.Context()); err != nil {
		t.Error(err)
	}
	if text := term.text(); !strings.HasPrefix(text, "50150") {
		t.Errorf("the size: got %s", text)
	}
	if term.shows("Name ?") {
		t.Error("what was shown before the last key is shown still")
	}
}

func TestTerminalAnswersRequests(t *testing.T) {
	term := start(t, `stty -icanon -echo min 6 time 50; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | od -c | head -1`)
	until(t, "the position", func() bool { return strings.Contains(term.text(), "033[1;1R") })
	if err := term.end(t.Context()); err != nil {
		t.Error(err)
	}
}

// A program that does not end is ended by Ctrl-C.
func TestTerminalEnds(t *testing.T) {
	term := start(t, "trap 'exit 0' INT; echo ready; while :; do read line; done")
	until(t, "ready", func() bool { return term.shows("ready") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // without patience
	if err := term.end(ctx); err != nil {
		t.Error(err)
	}
}

func TestQuiet(t *testing.T) {
	term := &terminal{changed: time.Now().Add(-time.Second)}
	if !term.quiet(time.Second) || term.quiet(time.Minute) {
		t.Error("quiet is wrong")
	}
	if (&terminal{}).quiet(0) {
		t.Error("a terminal that has shown nothing is quiet")
	}
}
