package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/push"
)

// config reads the configuration, or takes the one without a file. Directories
// on the command line, or those of the demo, take the place of its sources.
func (c *command) config() (*config.Config, error) {
	if len(c.dirs) == 0 && c.override == nil {
		return config.Load(c.configFile, c.env)
	}
	cfg := config.Settings()
	if c.configFile != "" {
		var err error
		if cfg, err = config.Load(c.configFile, c.env); err != nil {
			return nil, err
		}
	}
	if c.override != nil {
		c.override(cfg)
		return cfg, nil
	}
	cfg.Sources = nil
	for _, dir := range c.dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find directory: %w", err)
		}
		cfg.Sources = append(cfg.Sources, config.Source{Path: sessionsIn(abs), Literal: true})
	}
	return cfg, nil
}

// settings are the configuration as the daemon has it.
func (c *command) settings(log *slog.Logger) (daemon.Settings, error) {
	cfg, err := c.config()
	if err != nil {
		return daemon.Settings{}, err
	}
	return settingsOf(cfg, log)
}

func settingsOf(cfg *config.Config, log *slog.Logger) (daemon.Settings, error) {
	roots, err := cfg.Roots()
	if err != nil {
		return daemon.Settings{}, err
	}
	return daemon.Settings{
		Sources:        expander(cfg, roots, log),
		Labeller:       &cfg.Labels,
		Ledger:         ledgerOptions(cfg),
		MaxSessions:    int(cfg.Labels.MaxValues.Session),
		MaxLine:        int(cfg.Limits.LineSize),
		MaxWatches:     maxWatches(int(cfg.Limits.Watches)),
		Journal:        smallJournal,
		Scan:           time.Duration(cfg.Intervals.Scan),
		Poll:           time.Duration(cfg.Intervals.Poll),
		MessageTimeout: time.Duration(cfg.Intervals.MessageTimeout),
		Checkpoint:     time.Duration(cfg.Intervals.Checkpoint),
		Sync:           time.Duration(cfg.Intervals.Sync),
		Retention:      time.Duration(cfg.Retention.DedupKeys),
		ZeroWindow:     time.Duration(cfg.Intervals.ZeroWindow),
	}, nil
}

// smallJournal is how long the journal becomes before a snapshot is worth its
// writing, which takes a start some ten milliseconds to repeat.
const smallJournal = 1 << 20

// unknownProject is the project of lines that do not say where they come from.
const unknownProject = "unknown"

func ledgerOptions(cfg *config.Config) ledger.Options {
	o := ledger.Options{
		Limits:         cfg.Labels.MaxValues.ByLabel(),
		MaxSeries:      int(cfg.Labels.MaxSeries),
		Buckets:        cfg.Buckets.ByFamily(),
		UnknownProject: unknownProject,
		ActiveFor:      time.Duration(cfg.Intervals.SessionActive).Milliseconds(),
		MaxSessions:    int(cfg.Labels.MaxValues.Session),
	}
	if cfg.Labels.Projects.Naming == config.NoName {
		o.UnknownProject = ""
	}
	return o
}

// maxWatches turns the number of the configuration, where 0 is none, into that
// of the watcher, where 0 is its default.
func maxWatches(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// expander returns what the sources stand for now. While that cannot be told
// it is what it was before.
func expander(cfg *config.Config, before []config.Root, log *slog.Logger) func() []follow.Source {
	said := ""
	return func() []follow.Source {
		now, err := cfg.Roots()
		switch {
		case err == nil:
			before, said = now, ""
		case err.Error() != said:
			said = err.Error()
			log.Error("Failed to find the sources, going on with those from before", "err", err)
		}
		sources := make([]follow.Source, len(before))
		for i, r := range before {
			sources[i] = follow.Source{Path: r.Path, Labels: r.Labels}
		}
		return sources
	}
}

// check says whether the configuration is good, and what it comes to.
func (c *command) check(w io.Writer, log *slog.Logger) error {
	cfg, err := c.config()
	if err != nil {
		return errors.Join(err, c.checkWeb())
	}
	reads, err := settingsOf(cfg, log)
	if err := errors.Join(err, push.Check(endpoints(cfg)), c.checkWeb()); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, "The configuration is good. It reads what is below:")
	for _, s := range reads.Sources() {
		_, _ = fmt.Fprintf(w, "  %s", s.Path)
		for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
			_, _ = fmt.Fprintf(w, " %s=%q", name, s.Labels[name])
		}
		_, _ = fmt.Fprintln(w)
	}
	for i := range cfg.RemoteWrite {
		r := &cfg.RemoteWrite[i]
		_, _ = fmt.Fprintf(w, "Every %s it sends to %s\n", r.Interval, r)
	}
	return nil
}
