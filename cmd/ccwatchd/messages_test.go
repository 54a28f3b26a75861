package main

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

func TestMessages(t *testing.T) {
	var out bytes.Buffer
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse([]string{"once"}); err != nil {
		t.Fatal(err)
	}
	log := c.logger(&out)
	for _, test := range []struct {
		log  func(*slog.Logger)
		want string
	}{
		{func(l *slog.Logger) { l.Info("No daemon is running, reading the session files") }, "ccwatchd: no daemon is running, reading the session files\n"},
		{func(l *slog.Logger) { l.Warn("Failed to read", "err", errors.New("a\nb\x1b[2J"), "tries", 2) }, "ccwatchd: failed to read (tries 2): a\nccwatchd: b\\x1b[2J\n"},
		{func(l *slog.Logger) { l.With("at", time.Unix(0, 0).UTC()).Error("HTTP fails") }, "ccwatchd: HTTP fails (at 1970-01-01T00:00:00Z)\n"},
		{func(l *slog.Logger) { warnEmpty(l, "No sessions found in /a") }, "ccwatchd: no sessions found in /a\n"},
		{func(l *slog.Logger) { l.Debug("Hidden") }, ""},
	} {
		out.Reset()
		if test.log(log); out.String() != test.want {
			t.Errorf("got %q, want %q", out.String(), test.want)
		}
	}
}

// An error may have the name of a user, a URL and a text from another process.
func TestPrintError(t *testing.T) {
	process := (&status.Status{PID: 7, User: "a\x1b[2J"}).Process()
	var out bytes.Buffer
	printError(&out, errors.Join(strangerError{"http://localhost:1\x1b]0;", "b\u202e"}, errors.New(process)))
	const want = `ccwatchd: the daemon at http://localhost:1\x1b]0; is of the user b\u202e: add --url=http://localhost:1\x1b]0; to use it` + "\n" +
		`ccwatchd: pid 7 of the user a\x1b[2J` + "\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// With flags of the log, the messages of commands are log lines.
func TestMessagesAsLog(t *testing.T) {
	var out bytes.Buffer
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse([]string{"once", "--log.format=json", "--log.level=debug"}); err != nil {
		t.Fatal(err)
	}
	if c.logger(&out).Debug("Shown"); !bytes.Contains(out.Bytes(), []byte(`"msg":"Shown"`)) {
		t.Errorf("got %q", out.String())
	}
}

// A log names directories only at debug level.
func TestLoggedDirectories(t *testing.T) {
	for _, level := range []string{"info", "debug"} {
		for format, want := range map[string]string{"logfmt": `level=WARN source=FILE msg="No sessions found"` + "\n", "json": `"level":"WARN","source":"FILE","msg":"No sessions found"}` + "\n"} {
			var out bytes.Buffer
			c := newCommand(func(string) string { return "" })
			if _, err := c.app.Parse([]string{"once", "--log.format=" + format, "--log.level=" + level}); err != nil {
				t.Fatal(err)
			}
			warnEmpty(c.logger(&out), "No sessions found in /a")
			text := regexp.MustCompile(`request\.go:\d+`).ReplaceAllString(out.String(), "FILE")
			if !strings.Contains(text, want) || strings.Contains(text, "/a") != (level == "debug") {
				t.Errorf("%s, %s: got %s", format, level, text)
			}
		}
	}
}
