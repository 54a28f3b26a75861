package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/api"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/statusline"
	"github.com/ccwatchd/ccwatchd/limits"
)

const statuslineHelp = `Add to ~/.claude/settings.json:

  {"statusLine": {"type": "command", "command": "ccwatchd statusline"}}

The line has the model, the use of the context window and of the limits of a subscription with the time until they reset, and the cost of today, which the running daemon knows. It also hands the limits over to the daemon, which exposes them if its configuration has

  statusline: {accept_limits: true}

It reads no files and connects only to the daemon. Without a daemon, the line has no cost. $NO_COLOR turns colors off, and $COLUMNS limits the width.`

const (
	// inputTimeout is the limit for the input, which is there when the command starts
	// unless a person has started it.
	inputTimeout = time.Second
	// daemonTimeout is the limit for all requests to the daemon together: Claude Code
	// waits for the line.
	daemonTimeout = 8 * time.Millisecond
)

func (c *command) addStatusline() {
	var daemon target
	clause := c.add("statusline", "Print a status line for Claude Code, which passes JSON on the standard input.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) {
			c.printStatusline(stdout, os.Stdin, &daemon)
			return 0, nil // an error would replace the line
		}, "web.listen-address")
	clause.HelpLong(statuslineHelp)
	daemon.addFlag(clause)
}

// printStatusline prints exactly one line.
func (c *command) printStatusline(stdout io.Writer, stdin io.Reader, daemon *target) {
	now := time.Now()
	in := statusline.Parse(readInput(stdin), now)
	o := statusline.Options{Now: now, Color: c.env("NO_COLOR") == "" && c.env("TERM") != "dumb"}
	o.Width, _ = strconv.Atoi(c.env("COLUMNS"))
	o.Cost = daemon.exchange(c, in.Report())
	_, _ = io.WriteString(stdout, in.Line(o)+"\n")
}

// readInput returns the input, as far as it arrives in time.
func readInput(stdin io.Reader) []byte {
	read := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(stdin, statusline.MaxInput))
		read <- b
	}()
	select {
	case b := <-read:
		return b
	case <-time.After(inputTimeout):
		return nil
	}
}

// exchange hands a report over to the daemon, unless it is nil, and returns the cost of
// today. Both are missing if the daemon does not answer in time.
func (t *target) exchange(c *command, report []byte) (cost string) {
	ctx, cancel := context.WithTimeout(context.Background(), daemonTimeout)
	defer cancel()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		if report != nil {
			_ = t.client(c).Post(ctx, limits.Path, report) // the daemon may not accept it
		}
	}()
	cost = costToday(ctx, t.client(c))
	<-posted
	return cost
}

// costToday returns what the usage of today costs, "" if that is not known.
func costToday(ctx context.Context, client *statusclient.Client) string {
	today, err := request(ctx, client, api.TodayPath, nil, func(t *api.Today) bool { return !t.Time.IsZero() })
	if err != nil || today.CostUSD == nil {
		return ""
	}
	return format.Cost{USD: *today.CostUSD, Unpriced: today.UnpricedTokens > 0}.Text(format.USD, "")
}
