package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// A dashboardsCommand holds the flags of the command "dashboards".
type dashboardsCommand struct {
	out    string
	force  bool
	server string
}

func (c *command) addDashboards() {
	var d dashboardsCommand
	clause := c.add("dashboards", "Write the Grafana dashboards and Prometheus rules of this version, with their provisioning files.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) { return 0, d.write(stdout) })
	clause.Flag("out", "Directory to write to. It is created if missing.").
		Default("ccwatchd-dashboards").StringVar(&d.out)
	clause.Flag("force", "Replace files that differ from this version.").
		BoolVar(&d.force)
	clause.Flag("server", "What evaluates the expressions: prometheus-3.16 and later has exact increases; increase of victoriametrics would count the past. One of: [prometheus, prometheus-3.16, victoriametrics]").
		Default(string(packaging.PrometheusServer)).EnumVar(&d.server, packaging.Servers()...)
}

var (
	errDiffers = errors.New("differs from the file of this version")
	errKept    = errors.New("no file was written: add --force to replace files that differ")
)

// write writes the files and prints their names. It writes either all of them or none.
func (d *dashboardsCommand) write(stdout io.Writer) error {
	names := packaging.Monitoring()
	outdated, err := d.outdated(names)
	if err != nil {
		return err
	}
	for _, name := range outdated {
		if err := writeAtomically(d.path(name), d.read(name)); err != nil {
			return fmt.Errorf("write dashboards: %w", err)
		}
	}
	d.printUsage(stdout, names, len(outdated))
	return nil
}

// path returns the path of a file in the output directory.
func (d *dashboardsCommand) path(name string) string {
	return filepath.Join(d.out, filepath.FromSlash(name))
}

func (d *dashboardsCommand) read(name string) string {
	return packaging.ReadFor(packaging.Server(d.server), name)
}

// outdated returns the files to write. Without --force, a file that exists and differs
// is an error.
func (d *dashboardsCommand) outdated(names []string) (outdated []string, err error) {
	for _, name := range names {
		content, readErr := os.ReadFile(d.path(name))
		switch {
		case readErr == nil && string(content) == d.read(name):
			continue
		case readErr == nil && !d.force:
			err = errors.Join(err, fmt.Errorf("%s %w", d.path(name), errDiffers))
		case readErr != nil && !errors.Is(readErr, fs.ErrNotExist):
			return nil, fmt.Errorf("read existing dashboards: %w", readErr)
		}
		outdated = append(outdated, name)
	}
	if err != nil {
		err = errors.Join(err, errKept)
	}
	return outdated, err
}

// writeAtomically writes a file that is readable for all users.
func writeAtomically(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // servers have their own users
		return err
	}
	f, err := os.CreateTemp(dir, ".ccwatchd-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// printUsage prints the names of the files and how to use them.
func (d *dashboardsCommand) printUsage(w io.Writer, names []string, written int) {
	_, _ = fmt.Fprintf(w, "Wrote %d files to %s; %d were up to date.\n\n", written, d.out, len(names)-written)
	for _, name := range names {
		_, _ = fmt.Fprintf(w, "  %s\n", name)
	}
	_, _ = fmt.Fprintf(w, `
1. Prometheus: add prometheus.yml to its configuration, copy the rules next to it, and reload it. Or start a new one:

  prometheus --config.file=%s --storage.tsdb.retention.time=1y

2. Grafana: import the dashboards in its menu. Or provision them: copy or mount these directories, and restart Grafana:

  grafana/dashboards    as   /var/lib/grafana/dashboards/ccwatchd
  grafana/provisioning  into /etc/grafana/provisioning

3. The past, before the first scrape: write it to a file, and create blocks of it in the data directory of Prometheus:

  ccwatchd backfill --output=history.om
  %s history.om data
`, d.path(packaging.Prometheus), createBlocks)
}
