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
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func (c *command) addOnce() {
	c.add("once", "Read all sessions once, print the metrics and exit. Neither reads nor writes the state, so what a deleted session used is missing: servers should scrape the daemon.",
		func(stdout io.Writer, log *slog.Logger) (int, error) { return 0, c.readOnce(stdout, log) }, "config.file", "log.").
		Arg("path", "Session files (also .gz and .zst), and directories with sessions. If a directory contains .claude/projects or projects, as your home directory and ~/.claude do, only these projects are read. Default: the sources of the configuration.").
		StringsVar(&c.paths)
}

// readOnce reads everything and prints the metrics.
func (c *command) readOnce(stdout io.Writer, log *slog.Logger) error {
	settings, err := c.settings(log)
	if err != nil {
		return err
	}
	settings.Ledger.FineHistory = 0 // it is not printed
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	reading, err := c.read(ctx, settings, log)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(versioncollector.NewCollector("ccwatchd"))
	exposition := metrics.Exposition{
		Provider: reading, Registry: registry,
		MaxSessions: func() int { return settings.MaxSessions },
	}
	if isTerminal(stdout) {
		stdout = terminal.TextWriter{To: stdout}
	}
	if err := exposition.WriteText(stdout); err != nil {
		return err
	}
	return unread(reading)
}

// always is longer than the age of every session.
const always = 100 * 365 * 24 * time.Hour

// readPast reads the paths on the command line, or the sources of the configuration,
// and records the whole history in the shortest intervals.
func (c *command) readPast(ctx context.Context, log *slog.Logger) (*daemon.Reading, error) {
	settings, err := c.settings(log)
	if err != nil {
		return nil, err
	}
	settings.Ledger.FineHistory = always.Milliseconds() // even with history: off
	return c.read(ctx, settings, log)
}

// read reads the paths on the command line, or the sources of the settings.
func (c *command) read(ctx context.Context, settings daemon.Settings, log *slog.Logger) (*daemon.Reading, error) {
	files, err := sessionFiles(c.paths)
	if err != nil {
		return nil, err
	}
	c.tuneGC()
	reading, err := daemon.Once(ctx, settings, log, files...)
	if err == nil && reading.Files == 0 {
		for _, s := range settings.Sources() {
			files = append(files, s.Path)
		}
		warnEmpty(log, "No sessions found in "+listPaths(files))
	}
	return reading, err
}

// unread returns an error if files could not be read.
func unread(r *daemon.Reading) error {
	if r.Failed > 0 {
		return fmt.Errorf("%w: %d", errUnread, r.Failed)
	}
	return nil
}

var (
	errUnread     = errors.New("files or directories that could not be read")
	errNotSession = errors.New("not a session file: expected *.jsonl, *.jsonl.gz or *.jsonl.zst, except audit.jsonl, history.jsonl and journal.jsonl")
	errNotRegular = errors.New("neither a regular file nor a directory")
)

// sessionFiles returns the files among paths, sorted and without symbolic links. It
// returns the errors of all paths that cannot be read as sessions.
func sessionFiles(paths []string) (files []string, err error) {
	var errs []error
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			continue
		case !info.Mode().IsRegular():
			err = fmt.Errorf("%s: %w", path, errNotRegular)
		case !transcript.IsTranscript(filepath.Base(path)) && !transcript.IsArchive(filepath.Base(path)):
			err = fmt.Errorf("%s: %w", path, errNotSession)
		default:
			var file string
			if file, err = resolve(path); err == nil {
				files = append(files, file)
			}
		}
		errs = append(errs, err)
	}
	slices.Sort(files)
	return files, errors.Join(errs...)
}

// resolve returns the absolute path of a file without symbolic links.
func resolve(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fmt.Errorf("resolve path: %w", err)
	}
	return path, nil
}

// sessionsIn returns the directory to read for a directory on the command line. If it
// has a projects directory, it is a configuration directory of Claude Code, whose other
// files (backups, exports, jobs) must not be counted. .claude/projects comes first,
// since a home directory may have an unrelated projects directory.
func sessionsIn(dir string) string {
	for _, projects := range []string{filepath.Join(dir, ".claude", "projects"), filepath.Join(dir, "projects")} {
		if isDir(projects) {
			return projects
		}
	}
	return dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
