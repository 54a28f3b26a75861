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
	out   string
	force bool
}

func (c *command) addDashboards() {
	var d dashboardsCommand
	clause := c.add("dashboards", "Write the dashboards for Grafana and the rules for Prometheus of this version, with their provisioning files, and print where they go.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) { return 0, d.write(stdout) })
	clause.Flag("out", "Directory to write to, made if need be.").
		Default("ccwatchd-dashboards").StringVar(&d.out)
	clause.Flag("force", "Replace files that are other than those of this version: of an older one, or changed.").
		BoolVar(&d.force)
}

var (
	errDiffers = errors.New("is not as this version has it")
	errKept    = errors.New("nothing was written; --force replaces what differs")
)

// write writes the files, and tells of them. Either all of them can be, or
// nothing is changed.
func (d *dashboardsCommand) write(stdout io.Writer) error {
	names := packaging.Monitoring()
	due, err := d.due(names)
	if err != nil {
		return err
	}
	for _, name := range due {
		if err := writeWhole(d.path(name), packaging.Read(name)); err != nil {
			return fmt.Errorf("write the dashboards: %w", err)
		}
	}
	d.tell(stdout, names, len(due))
	return nil
}

// path is where a file goes.
func (d *dashboardsCommand) path(name string) string {
	return filepath.Join(d.out, filepath.FromSlash(name))
}

// due returns those of the files that have to be written. It is an error if one
// would replace another that somebody may miss.
func (d *dashboardsCommand) due(names []string) (due []string, err error) {
	for _, name := range names {
		is, readErr := os.ReadFile(d.path(name))
		switch {
		case readErr == nil && string(is) == packaging.Read(name):
			continue
		case readErr == nil && !d.force:
			err = errors.Join(err, fmt.Errorf("%s %w", d.path(name), errDiffers))
		case readErr != nil && !errors.Is(readErr, fs.ErrNotExist):
			return nil, fmt.Errorf("look what is there: %w", readErr)
		}
		due = append(due, name)
	}
	if err != nil {
		err = errors.Join(err, errKept)
	}
	return due, err
}

// writeWhole writes a file that everybody may read: as a whole or, with an error,
// not at all.
func writeWhole(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // servers run as users of their own
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
		_ = os.Remove(f.Name()) // it is of no use
	}
	return err
}

// tell says what there is now, and what to do with it.
func (d *dashboardsCommand) tell(w io.Writer, names []string, written int) {
	_, _ = fmt.Fprintf(w, "Wrote %d files to %s; %d were there already.\n\n", written, d.out, len(names)-written)
	for _, name := range names {
		_, _ = fmt.Fprintf(w, "  %s\n", name)
	}
	_, _ = fmt.Fprintf(w, `
Prometheus: add prometheus.yml to its configuration, put the rules beside that, and reload it. Or start one with nothing else:

  prometheus --config.file=%s

Grafana: import the dashboards in its menu. Or have it find them by itself: copy or mount, and restart it,

  grafana/dashboards    as   /var/lib/grafana/dashboards/ccwatchd
  grafana/provisioning  into /etc/grafana/provisioning
`, d.path(packaging.Prometheus))
}
