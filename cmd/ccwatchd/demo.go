package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/demo"
)

// A demoCommand is the command of that name.
type demoCommand struct {
	cmd *kingpin.CmdClause
	demo.Options
}

func addDemo(app *kingpin.Application) *demoCommand {
	d := &demoCommand{cmd: app.Command("demo", "Serve what a made-up team does with Claude Code, to see the metrics and the dashboards alive without a session of one's own. "+
		"Sessions and state are in a temporary directory, which is removed at the end; yours are neither read nor changed. A --state.dir, and the sources and the remote_write of a --config.file, mean nothing here.")}
	d.cmd.Flag("speed", "How many times as fast as people they work. All durations are so many times as short.").
		Default("20").Float64Var(&d.Speed)
	d.cmd.Flag("seed", "What is left to chance depends on this number.").
		Default("1").Uint64Var(&d.Seed)
	d.cmd.Flag("people", "How many people there are.").
		Default("5").IntVar(&d.People)
	return d
}

// serveDemo has a team work, and serves what it does, until it is told to stop.
// Then nothing is left of it.
func (c *command) serveDemo(stdout io.Writer, log *slog.Logger) (err error) {
	signals := catchSignals()
	signal.Notify(signals.ends, syscall.SIGHUP) // the terminal was closed
	team, err := demo.Assemble(c.demo.Options, time.Now())
	if err != nil {
		return err
	}
	signals.cleanUp = func() { _ = team.Disband() }
	defer func() { err = errors.Join(err, team.Disband()) }()
	c.stateDir = team.StateDir()
	c.amend = func(cfg *config.Config) { follow(team, cfg) }
	c.beside = func(ctx context.Context) error {
		introduce(stdout, team, (*c.web.WebListenAddresses)[0])
		return team.Work(ctx)
	}
	return c.serve(signals, log)
}

// shortest is the shortest an interval of the configuration gets by the speed of
// the demo: a daemon that is busy must not take it for quiet.
const shortest = 5 * time.Second

// shortestZero is the shortest that the zero window gets: it must be longer than the
// scrape interval of the configuration that introduce prints.
const shortestZero = 20 * time.Second

// follow has the configuration be that of whoever watches a team. What it takes
// for quiet is as much shorter as the team is faster.
// None of it is sent anywhere.
func follow(team *demo.Team, cfg *config.Config) {
	cfg.Sources, cfg.RemoteWrite = nil, nil
	for _, p := range team.People() {
		cfg.Sources = append(cfg.Sources, config.Source{Path: p.Projects(), Labels: map[string]string{"user": p.Name}, Literal: true})
	}
	for _, interval := range []*config.Duration{&cfg.Intervals.MessageTimeout, &cfg.Intervals.SessionActive} {
		*interval = max(config.Duration(float64(*interval)/team.Speed), config.Duration(shortest))
	}
	zero := &cfg.Intervals.ZeroWindow
	*zero = min(*zero, max(config.Duration(float64(*zero)/team.Speed), config.Duration(shortestZero)))
}

// introduce tells people what they see, and where.
func introduce(w io.Writer, team *demo.Team, address string) {
	url := urlOf(address)
	_, _ = fmt.Fprintf(w, `A made-up team of %d is at work, %g times as fast as people are. Nothing of it is real; your own sessions are not read.

  %s/          what is read, and how far it is
  %[3]s/metrics   the metrics

To have Prometheus scrape them, add to its configuration:

%s

A query to begin with, who uses how many tokens a second:

  sum by (user, type) (rate(claude_tokens_total[1m]))

All of it is in %s, and removed when this ends, as by Ctrl-C.

`, len(team.People()), team.Speed, url, scrapeConfig(address), team.Dir())
}
