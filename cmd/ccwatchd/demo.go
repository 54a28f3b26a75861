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

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/demo"
	"github.com/ccwatchd/ccwatchd/internal/limits"
)

func (c *command) addDemo() {
	var o demo.Options
	clause := c.add("demo", "Serve the metrics of a simulated team that works with Claude Code, to try the metrics and dashboards without sessions. "+
		"Its sessions and state are in a temporary directory, which is removed at the end; your sessions are neither read nor changed. --state.dir, and the sources and remote_write of --config.file, have no effect.",
		func(stdout io.Writer, log *slog.Logger) (int, error) {
			s := catchSignals()
			signal.Notify(s.terminate, syscall.SIGHUP) // the terminal was closed
			return 0, c.serveDemo(s, o, (*demo.Simulation).Run, stdout, log)
		}, "compat.", "config.", "web.", "log.")
	clause.Flag("speed", "Speed of the team relative to real time. Timeouts are divided by it.").
		Default("20").Float64Var(&o.Speed)
	clause.Flag("seed", "Seed of the random numbers.").
		Default("1").Uint64Var(&o.Seed)
	clause.Flag("people", "Number of people.").
		Default("5").IntVar(&o.People)
}

// serveDemo serves the sessions of a simulated team until a signal stops it. It removes
// all files after the team and the daemon have stopped writing.
func (c *command) serveDemo(s *signals, o demo.Options, work func(*demo.Simulation, context.Context) error, stdout io.Writer, log *slog.Logger) (err error) {
	if err := c.checkWeb(); err != nil {
		return err
	}
	s.cleansUp = true
	team, err := demo.New(o, time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, team.Close()) }()
	c.stateDir = team.StateDir()
	c.override = func(cfg *config.Config) { readOnly(team, cfg) }
	c.onListen = func(url string) { introduce(stdout, team, url) }
	c.limits = func() []limits.Window { return team.Limits(time.Now()) }
	c.background = func(ctx context.Context) error { return work(team, ctx) }
	return c.serve(s, log)
}

// minInterval is the lower bound of a timeout that is divided by the speed, so that a
// team on a busy machine does not seem idle.
const minInterval = 5 * time.Second

// minZeroWindow is the lower bound of the zero window: it must be longer than the
// scrape interval of the printed configuration.
const minZeroWindow = 20 * time.Second

// readOnly makes a configuration read only the sessions of a team, divides its timeouts
// by the speed of the team, and removes remote write.
func readOnly(team *demo.Simulation, cfg *config.Config) {
	cfg.Sources, cfg.RemoteWrite = nil, nil
	for _, p := range team.People() {
		cfg.Sources = append(cfg.Sources, config.Source{Path: p.Projects(), Labels: p.Labels(), Literal: true})
	}
	for _, interval := range []*config.Duration{&cfg.Intervals.MessageTimeout, &cfg.Intervals.SessionActive} {
		*interval = max(config.Duration(float64(*interval)/team.Speed), config.Duration(minInterval))
	}
	zero := &cfg.Intervals.ZeroWindow
	*zero = min(*zero, max(config.Duration(float64(*zero)/team.Speed), config.Duration(minZeroWindow)))
}

// introduce prints what the demo simulates and where to look.
func introduce(w io.Writer, team *demo.Simulation, url string) {
	_, _ = fmt.Fprintf(w, `A simulated team of %d works at %g times real speed. Your own sessions are not read.

%s
A query to start with, tokens per second by user:

  sum by (user, type) (rate(claude_tokens_total[1m]))

All files are in %s and are removed at the end. Stop with Ctrl-C.

`, len(team.People()), team.Speed, addresses(url), team.Dir())
}
