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
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/push"
)

// config returns the configuration, or the defaults without a file. Paths on the
// command line replace its sources.
func (c *command) config() (*config.Config, error) {
	if len(c.paths) == 0 {
		return config.Load(c.configFile, c.env)
	}
	cfg := config.Settings()
	if c.configFile != "" {
		var err error
		if cfg, err = config.Load(c.configFile, c.env); err != nil {
			return nil, err
		}
	}
	cfg.Sources = nil
	for _, path := range c.paths {
		if !isDir(path) {
			continue // see sessionFiles
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("resolve path: %w", err)
		}
		cfg.Sources = append(cfg.Sources, config.Source{Path: sessionsIn(abs), Literal: true})
	}
	return cfg, nil
}

func (c *command) settings(log *slog.Logger) (daemon.Settings, error) {
	cfg, err := c.config()
	if err != nil {
		return daemon.Settings{}, err
	}
	return settingsOf(cfg, log)
}

func settingsOf(cfg *config.Config, log *slog.Logger) (daemon.Settings, error) {
	roots, _, err := cfg.Roots()
	if err != nil {
		return daemon.Settings{}, err
	}
	options := ledgerOptions(cfg)
	if options.Prices, err = cfg.Pricing.Table(); err != nil {
		return daemon.Settings{}, fmt.Errorf("pricing: %w", err)
	}
	options.PriceMultiplier = cfg.PriceMultiplier()
	zone := localZone()
	if cfg.TimeZone.Location != nil {
		zone = cfg.TimeZone.Location
	}
	return daemon.Settings{
		Sources:        expander(cfg, roots, log),
		Labeller:       &cfg.Labels,
		Ledger:         options,
		MaxSessions:    cfg.Labels.MaxValues["session"],
		AcceptLimits:   cfg.StatusLine.AcceptLimits,
		Zone:           zone,
		MaxLine:        int(cfg.Limits.LineSize),
		MaxWatches:     maxWatches(cfg.Limits.Watches),
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

// smallJournal is the minimum size in bytes of a journal that is replaced by a
// snapshot. A start replays a journal of this size in some ten milliseconds.
const smallJournal = 1 << 20

// unknownProject is the project label of lines without a working directory.
const unknownProject = "unknown"

func ledgerOptions(cfg *config.Config) ledger.Options {
	o := ledger.Options{
		Limits:         cfg.Labels.MaxValues,
		MaxSeries:      cfg.Labels.MaxSeries,
		Buckets:        cfg.Buckets.ByFamily(),
		UnknownProject: unknownProject,
		ActiveFor:      time.Duration(cfg.Intervals.SessionActive).Milliseconds(),
		MaxSessions:    cfg.Labels.MaxValues["session"],
		MaxKeys:        cfg.Limits.DedupKeys,
	}
	if !cfg.History.Off {
		o.FineHistory = time.Duration(cfg.History.DetailedFor).Milliseconds()
	}
	if cfg.Labels.Projects.Naming == config.NoName {
		o.UnknownProject = ""
	}
	return o
}

// maxWatches converts the configured number of watches to the watcher's option: 0 means
// no watches in the configuration, but the default in the watcher.
func maxWatches(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// expander returns a function that returns the current sources, or the previous sources
// after an error.
func expander(cfg *config.Config, previous []config.Root, log *slog.Logger) func() []follow.Source {
	failed, dropped := "", map[string]bool{}
	return func() []follow.Source {
		roots, skipped, err := cfg.Roots()
		switch {
		case err == nil:
			previous, failed = roots, ""
			dropped = logDropped(skipped, dropped, log)
		case err.Error() != failed:
			failed = err.Error()
			log.Error("Failed to find the sources, keeping the previous ones", "err", err)
		}
		sources := make([]follow.Source, len(previous))
		for i, r := range previous {
			sources[i] = follow.Source{Path: r.Path, Base: r.Base, Labels: r.Labels}
		}
		return sources
	}
}

// logDropped warns about directories that match a source but are not read, unless they
// are in before. It returns all of them.
func logDropped(errs []error, before map[string]bool, log *slog.Logger) map[string]bool {
	dropped := make(map[string]bool, len(errs))
	for _, err := range errs {
		if dropped[err.Error()] = true; !before[err.Error()] {
			log.Warn("Skipping a directory that a source matches", "err", err)
		}
	}
	return dropped
}

// logWarnings logs probable mistakes in the configuration.
func (c *command) logWarnings(cfg *config.Config, log *slog.Logger) {
	for _, err := range cfg.Warnings(c.configFile) {
		log.Warn("The configuration may have a mistake", "err", err)
	}
}

// check validates the configuration, and prints its sources and remote-write endpoints.
func (c *command) check(w io.Writer, log *slog.Logger) error {
	cfg, err := c.config()
	if err != nil {
		return errors.Join(err, c.web.CheckFile())
	}
	settings, err := settingsOf(cfg, log)
	if err := errors.Join(err, push.Check(endpoints(cfg)), c.web.CheckFile()); err != nil {
		return err
	}
	c.logWarnings(cfg, log)
	_, _ = fmt.Fprintln(w, "The configuration is valid. Directories to read:")
	for _, s := range settings.Sources() {
		_, _ = fmt.Fprintf(w, "  %s", terminal.Printable(s.Path))
		for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
			_, _ = fmt.Fprintf(w, " %s=%q", name, s.Labels[name])
		}
		_, _ = fmt.Fprintln(w)
	}
	for i := range cfg.RemoteWrite {
		r := &cfg.RemoteWrite[i]
		_, _ = fmt.Fprintf(w, "Remote write every %s: %s\n", r.Interval, r)
	}
	return nil
}
