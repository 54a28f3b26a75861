package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/top"
)

const topHelp = `It asks the running daemon. Without one, --once and --json read the session files, as "ccwatchd once" does.

Keys:

  q, Esc        quit
  a, c, t       sort by age, cost, tokens
  x, r, e, p    sort by context, requests, errors, project
  i             invert the order
  up, down, PgUp, PgDn, Home, End

A cost with a plus sign is a lower bound: some tokens have no price. The size of the context window is known from the status line, see "ccwatchd statusline --help". Without it, it is taken to be 200k tokens, or 1M if the context has more.

Cost is an estimate by list price, and not the bill of a subscription.`

// A topCommand holds the arguments of the command "top".
type topCommand struct {
	daemon       target
	interval     time.Duration
	limit        int
	since        string
	project      string
	once, asJSON bool
}

func (c *command) addTop() {
	var t topCommand
	clause := c.add("top", "Show the sessions of today in the terminal: context, tokens, cost and tools of each.",
		func(stdout io.Writer, log *slog.Logger) (int, error) { return t.run(c, stdout, log, time.Now()) },
		targetFlags("config.file", "log.")...)
	clause.HelpLong(topHelp)
	clause.Flag("once", "Print the table once and exit.").BoolVar(&t.once)
	clause.Flag("json", "Print JSON once, as /api/v1/sessions responds, and exit.").BoolVar(&t.asJSON)
	clause.Flag("interval", "Time between two requests to the daemon.").Default("2s").DurationVar(&t.interval)
	clause.Flag("limit", "Maximum number of sessions.").Default(strconv.Itoa(api.DefaultSessions)).IntVar(&t.limit)
	clause.Flag("since", "Only sessions that were active since then, such as today, 12h or all, and what they used since.").Default("today").StringVar(&t.since)
	clause.Flag("project", "Only this project.").PlaceHolder("NAME").StringVar(&t.project)
	t.daemon.addFlag(clause)
}

// minTopInterval is the shortest time between two requests.
const minTopInterval = 100 * time.Millisecond

var (
	errInterval   = errors.New("--interval: expected at least " + minTopInterval.String())
	errNoTerminal = errors.New("standard output is not a terminal: add --once or --json")
)

// run shows the sessions. Invalid arguments have the exit code 2.
func (t *topCommand) run(c *command, stdout io.Writer, log *slog.Logger, now time.Time) (int, error) {
	parameters := url.Values{"limit": {strconv.Itoa(t.limit)}}
	for name, value := range map[string]string{"since": t.since, "project": t.project} {
		if value != "" {
			parameters.Set(name, value)
		}
	}
	_, err := parseSessions(parameters, now, localZone())
	switch {
	case err != nil:
		return 2, err
	case t.interval < minTopInterval:
		return 2, errInterval
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if t.once || t.asJSON {
		data, incomplete, err := answer(ctx, c, &t.daemon, log, now, func(from source) (top.Data, error) { return topData(from, parameters, now) })
		if err != nil {
			return 1, err
		}
		if data.Empty != "" {
			warnEmpty(log, data.Empty)
		}
		return 0, errors.Join(t.print(stdout, data), incomplete)
	}
	if !isTerminal(stdout) {
		return 2, errNoTerminal
	}
	err = top.Run(ctx, top.Options{Interval: t.interval, Source: func(ctx context.Context) (top.Data, error) {
		now := time.Now()
		client, err := t.daemon.find(ctx, c) // again: it may have been restarted
		if err != nil {
			return top.Data{}, err
		}
		return topData(daemonSource{ctx, client, now}, parameters, now)
	}})
	if statusclient.IsUnreachable(err) {
		err = fmt.Errorf("%w: start it with \"ccwatchd\", or give its address with --url; --once reads the session files", err)
	}
	return 0, err
}

func (t *topCommand) print(stdout io.Writer, data top.Data) error {
	if t.asJSON {
		return printJSON(stdout, data.Sessions)
	}
	width := 0 // all columns
	if isTerminal(stdout) {
		width = terminalWidth(stdout)
	}
	return top.Print(stdout, data, width)
}

// topData returns the data of a source at a time. Without a history, the usage of today
// is missing.
func topData(from source, parameters url.Values, now time.Time) (data top.Data, err error) {
	current, err := parseSessions(parameters, now, localZone())
	if err != nil {
		return data, err
	}
	if data.Sessions, err = from.sessions(current); err != nil {
		return data, err
	}
	data.Today, data.Limits = today(from), from.limits()
	if len(data.Sessions.Sessions) == 0 {
		data.Empty = from.empty()
	}
	return data, nil
}
