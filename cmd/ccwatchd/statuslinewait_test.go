package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The input ends with its JSON value, even if the pipe remains open. The command waits
// only for the rest of an incomplete value.
func TestStatuslineInput(t *testing.T) {
	for _, test := range []struct {
		input, want string
		waits       time.Duration
	}{
		{`{"a":{"b":"}"}}`, `{"a":{"b":"}"}}`, 0},
		{"{\"a\":\n1}\n", "{\"a\":\n1}", 0},
		{strings.Repeat(" ", 5000) + `["` + strings.Repeat("x", 5000) + `"]`, `["` + strings.Repeat("x", 5000) + `"]`, 0},
		{`}`, "", 0},
		{`{"a":{}`, "", inputTimeout},
		{" ", "", inputTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			stdin, writer := io.Pipe()
			go func() { _, _ = io.WriteString(writer, test.input) }() // the unread rest is an error
			began := time.Now()
			if got := string(readInput(stdin)); got != test.want {
				t.Errorf("%.20q: got %.20q", test.input, got)
			}
			if waited := time.Since(began); waited != test.waits {
				t.Errorf("%.20q: waited %s, want %s", test.input, waited, test.waits)
			}
			if err := errors.Join(stdin.Close(), writer.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// All requests to the daemon share one time limit, and the command waits for nothing
// else.
func TestStatuslineExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		cost := exchange(func(ctx context.Context) { <-ctx.Done() }, func(context.Context) string {
			if waited := time.Since(began); waited != 0 {
				t.Errorf("the request for the cost waited %s for the report", waited)
			}
			return "$1"
		})
		if waited := time.Since(began); waited != daemonTimeout || waited > 30*time.Millisecond {
			t.Errorf("waited %s, want %s, which must be at most 30ms", waited, daemonTimeout)
		}
		if cost != "$1" {
			t.Errorf("got %q", cost)
		}
	})
}

// A panicReader panics when it is read.
type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("reading") }

// The command prints a line after any panic. If only the requests panic, the line has
// the limits of the input.
func TestStatuslinePanic(t *testing.T) {
	noEnv := func(string) string { return "" }
	for name, test := range map[string]struct {
		env   func(string) string
		stdin io.Reader
		want  string
	}{
		"formatting": {func(string) string { panic("formatting") }, strings.NewReader("{}"), "Claude Code\n"},
		"requesting": {noEnv, strings.NewReader(rateLimited("/p/s.jsonl", 25)), "Opus · \x1b[32m5h 25% ("},
		"reading":    {noEnv, panicReader{}, "Claude Code\n"},
	} {
		var out bytes.Buffer
		c := &command{env: test.env}
		if c.printStatusline(&out, test.stdin, new(target)); !strings.HasPrefix(out.String(), test.want) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: got %q", name, out.String())
		}
	}
}

// If posting a report panics, the cost is still returned.
func TestStatuslinePostPanics(t *testing.T) {
	if got := exchange(func(context.Context) { panic("posting") }, func(context.Context) string { return "$1" }); got != "$1" {
		t.Errorf("got %q", got)
	}
}
