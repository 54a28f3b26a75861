package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/statusline"
)

// statuslineSetting is the line of settings.json that adds the status line.
const statuslineSetting = `{"statusLine": {"type": "command", "command": "ccwatchd statusline"}}`

const statuslineHelp = `Add to ~/.claude/settings.json:

  ` + statuslineSetting + `

The line has the model, the use of the context window and of the limits of a subscription with the time until they reset, the cost of today, which the running daemon knows, the cost of the session, and until when the prompt cache is warm, with the price of writing it again. It also hands the limits over to the daemon, which shows and exposes them. A daemon that reads the files of other users, or listens on other addresses than loopback, accepts them only if its configuration has

  statusline: {accept_limits: true}

It connects only to the daemon, and keeps the last cost in a file of the user's cache for the time in which the daemon is busy. Without a daemon, the line has no cost. $NO_COLOR turns colors off, and $COLUMNS limits the width.`

const (
	// inputTimeout limits the wait for the input, for example if a person runs the command
	// in a terminal.
	inputTimeout = time.Second
	// daemonTimeout is the time limit of all requests to the daemon together. The start of
	// the process takes 10 to 20 ms, so the line takes 50 ms at most.
	daemonTimeout = 25 * time.Millisecond
)

func (c *command) addStatusline() {
	var daemon target
	clause := c.add("statusline", "Print a status line for Claude Code, which passes JSON on the standard input.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) {
			c.printStatusline(stdout, os.Stdin, &daemon)
			return 0, nil // an error would replace the line
		}, targetFlags()...)
	clause.HelpLong(statuslineHelp)
	daemon.addFlag(clause)
}

// printStatusline prints exactly one line.
func (c *command) printStatusline(stdout io.Writer, stdin io.Reader, daemon *target) {
	line := statusline.Nothing
	withoutPanic(func() { line = c.statusline(stdin, daemon) })
	_, _ = io.WriteString(stdout, line+"\n")
}

// withoutPanic calls a function and recovers from a panic: a stack trace would replace
// the line.
func withoutPanic(f func()) {
	defer func() { _ = recover() }()
	f()
}

func (c *command) statusline(stdin io.Reader, daemon *target) string {
	now := time.Now()
	in := statusline.Parse(readInput(stdin), now)
	o := statusline.Options{Now: now, Color: c.env("NO_COLOR") == "" && c.env("TERM") != "dumb"}
	o.Width, _ = strconv.Atoi(c.env("COLUMNS"))
	o.Cost = exchange(func(ctx context.Context) {
		if report := in.Report(); report != nil {
			_ = daemon.client(c).Post(ctx, limits.Path, report) // the daemon may not accept it
		}
	}, func(ctx context.Context) string { return c.costToday(ctx, daemon.client(c)) })
	return in.Line(o)
}

// readInput returns the JSON value at the beginning of the input as soon as the value
// is complete, or nil if it is incomplete or too long.
func readInput(stdin io.Reader) (value json.RawMessage) {
	read := make(chan json.RawMessage, 1)
	go func() {
		defer close(read)
		withoutPanic(func() {
			var value json.RawMessage
			if json.NewDecoder(io.LimitReader(stdin, statusline.MaxInput)).Decode(&value) == nil {
				read <- value
			}
		})
	}()
	select {
	case value = <-read:
	case <-time.After(inputTimeout):
	}
	return value
}

// exchange posts a report and requests the cost of today, concurrently. Both functions
// must return when the context is done. If cost panics, exchange returns "".
func exchange(post func(context.Context), cost func(context.Context) string) string {
	ctx, cancel := context.WithTimeout(context.Background(), daemonTimeout)
	defer cancel()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		withoutPanic(func() { post(ctx) })
	}()
	today := ""
	withoutPanic(func() { today = cost(ctx) })
	<-posted
	return today
}

// costToday returns the cost of today, or "" if it is unknown.
func (c *command) costToday(ctx context.Context, client *statusclient.Client) string {
	today, ok := c.lastCost(client).today(ctx, client, time.Now())
	if !ok || today.CostUSD == nil {
		return ""
	}
	return format.Cost{USD: *today.CostUSD, Unpriced: today.UnpricedTokens > 0}.Text(format.USD, "")
}
