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
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

func (c *command) addDemo() {
	var o demo.Options
	clause := c.add("demo", "Serve what a made-up team does with Claude Code, to see the metrics and the dashboards alive without a session of one's own. "+
		"Sessions and state are in a temporary directory, which is removed at the end; yours are neither read nor changed. A --state.dir, and the sources and the remote_write of a --config.file, mean nothing here.",
		func(stdout io.Writer, log *slog.Logger) (int, error) {
			s := catchSignals()
			signal.Notify(s.terminate, syscall.SIGHUP) // the terminal was closed
			return 0, c.serveDemo(s, o, (*demo.Simulation).Run, stdout, log)
		})
	clause.Flag("speed", "How many times as fast as people they work. All durations are so many times as short.").
		Default("20").Float64Var(&o.Speed)
	clause.Flag("seed", "What is left to chance depends on this number.").
		Default("1").Uint64Var(&o.Seed)
	clause.Flag("people", "How many people there are.").
		Default("5").IntVar(&o.People)
}

// serveDemo serves the sessions of a made-up team until a signal ends it. Then it
// removes all files, after the team and the daemon have stopped writing.
func (c *command) serveDemo(s *signals, o demo.Options, work func(*demo.Simulation, context.Context) error, stdout io.Writer, log *slog.Logger) (err error) {
	s.cleansUp = true
	team, err := demo.New(o, time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, team.Close()) }()
	c.stateDir = team.StateDir()
	c.override = func(cfg *config.Config) { readOnly(team, cfg) }
	c.background = func(ctx context.Context) error {
		introduce(stdout, team, (*c.web.WebListenAddresses)[0])
		return work(team, ctx)
	}
	return c.serve(s, log)
}

// minInterval is the lower bound of an interval that is divided by the speed: a team
// on a busy machine must not seem idle.
const minInterval = 5 * time.Second

// minZeroWindow is the lower bound of the zero window: it must be longer than the
// scrape interval of the configuration that introduce prints.
const minZeroWindow = 20 * time.Second

// readOnly has a configuration read the sessions of a team, and nothing else. Its
// timeouts are divided by the speed of the team. It has no remote write.
func readOnly(team *demo.Simulation, cfg *config.Config) {
	cfg.Sources, cfg.RemoteWrite = nil, nil
	for _, p := range team.People() {
		cfg.Sources = append(cfg.Sources, config.Source{Path: p.Projects(), Labels: map[string]string{"user": p.Name}, Literal: true})
	}
	for _, interval := range []*config.Duration{&cfg.Intervals.MessageTimeout, &cfg.Intervals.SessionActive} {
		*interval = max(config.Duration(float64(*interval)/team.Speed), config.Duration(minInterval))
	}
	zero := &cfg.Intervals.ZeroWindow
	*zero = min(*zero, max(config.Duration(float64(*zero)/team.Speed), config.Duration(minZeroWindow)))
}

// introduce prints what the demo shows, and where.
func introduce(w io.Writer, team *demo.Simulation, address string) {
	_, _ = fmt.Fprintf(w, `A made-up team of %d is at work, %g times as fast as people are. Nothing of it is real; your own sessions are not read.

  %s/          what is read, and how far it is
  %[3]s/metrics   the metrics

To have Prometheus scrape them, add to its configuration:

%s

A query to begin with, who uses how many tokens a second:

  sum by (user, type) (rate(claude_tokens_total[1m]))

All of it is in %s, and removed when this ends, as by Ctrl-C.

`, len(team.People()), team.Speed, statusclient.URL(address), packaging.ScrapeConfig(statusclient.Target(address)), team.Dir())
}
