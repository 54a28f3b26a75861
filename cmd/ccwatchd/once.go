package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/metrics"
)

func (c *command) addOnce() {
	c.add("once", "Read every session once, print the metrics and exit. Of a directory DIR it reads only DIR/projects, if that exists. Neither reads nor writes the state.",
		func(stdout io.Writer, log *slog.Logger) (int, error) { return 0, c.readOnce(stdout, log) }).
		Arg("dir", "Directories with sessions in them: a ~/.claude, a projects directory, or any that holds some. Default: those of the configuration.").
		StringsVar(&c.dirs)
}

// readOnce reads everything there is and prints what it amounts to.
func (c *command) readOnce(stdout io.Writer, log *slog.Logger) error {
	if err := checkDirs(c.dirs); err != nil {
		return err
	}
	settings, err := c.settings(log)
	if err != nil {
		return err
	}
	c.tuneGC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	reading, err := daemon.Once(ctx, settings, log)
	if err != nil {
		return err
	}
	if reading.Files == 0 {
		log.Warn("No sessions found")
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(versioncollector.NewCollector("ccwatchd"))
	shown := metrics.Exposition{Provider: reading, Registry: registry, MaxSessions: func() int { return settings.MaxSessions }}
	if err := shown.WriteText(stdout); err != nil {
		return err
	}
	if reading.Failed > 0 {
		return fmt.Errorf("%w: %d", errUnread, reading.Failed)
	}
	return nil
}

var (
	errUnread       = errors.New("files or directories that could not be read")
	errNotDirectory = errors.New("not a directory")
)

// checkDirs complains of directories that are not there before anything is
// read: whoever names them wants to hear of it.
func checkDirs(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !info.IsDir():
			errs = append(errs, fmt.Errorf("%s: %w", dir, errNotDirectory))
		}
	}
	return errors.Join(errs...)
}

// sessionsIn returns the directory to read for one on the command line. If that has a
// projects directory it is a configuration directory of Claude Code: its sessions are in
// there, and what is beside them (backups, exports) would count too.
func sessionsIn(dir string) string {
	projects := filepath.Join(dir, "projects")
	if info, err := os.Stat(projects); err == nil && info.IsDir() {
		return projects
	}
	return dir
}
