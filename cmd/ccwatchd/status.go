package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage/top"
)

func (c *command) addStatus() {
	var (
		daemon target
		asJSON bool
	)
	clause := c.add("status", "Show the status of a running daemon. Exits with 0 if it runs well, and with 1 if it cannot be reached or has problems.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) {
			return showStatus(context.Background(), stdout, daemon.client(c), asJSON)
		}, targetFlags()...)
	daemon.addFlag(clause)
	clause.Flag("json", "Print the status as JSON.").BoolVar(&asJSON)
}

// showStatus prints the status of a daemon and returns the exit code for it.
func showStatus(ctx context.Context, w io.Writer, client *statusclient.Client, asJSON bool) (int, error) {
	state, err := client.Status(ctx)
	if statusclient.IsUnreachable(err) {
		err = fmt.Errorf("%w: start it with \"ccwatchd\", or give its address with --url", err)
	}
	if err != nil {
		return 1, err
	}
	if asJSON {
		err = printJSON(w, state)
	} else {
		w = terminal.TextWriter{To: w}
		printStatus(w, client.URL(), &state)
		printToday(w, daemonSource{ctx, client, time.Now()}, state.LimitsRefused != nil)
	}
	if len(state.Problems) > 0 {
		return 1, err
	}
	return 0, err
}

// printToday prints the usage of today and the limits, as far as they are known, or
// else, unless the daemon refuses the limits, how to make them known.
func printToday(w io.Writer, from source, refuses bool) {
	if used := today(from); used != nil {
		printField(w, "today", "%s", top.UsageText(used))
	}
	limits := from.limits()
	if limits != nil {
		for _, text := range top.LimitTexts(limits) {
			printField(w, "limit", "%s", text)
		}
	}
	if !refuses && (limits == nil || len(limits.Windows) == 0) {
		printSetting(w)
	}
}

func printField(w io.Writer, name, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "%-13s %s\n", name, fmt.Sprintf(format, args...))
}

func printStatus(w io.Writer, url string, s *status.Status) {
	field := func(name, format string, args ...any) { printField(w, name, format, args...) }
	field("state", "%s", stateOf(s))
	for _, problem := range s.Problems {
		field("problem", "%s", problem)
	}
	printAddresses(w, url)
	field("version", "%s", s.Version)
	field("pid", "%d", s.PID)
	if s.User != "" {
		field("user", "%s", s.User)
	}
	printDirectories(w, s.Directories)
	files := strconv.Itoa(s.Files)
	if !s.Ready {
		files += " of " + strconv.Itoa(s.FilesTotal)
	}
	field("files", "%s", files)
	field("sessions", "%d", s.Sessions)
	field("backlog", "%d bytes", s.Backlog)
	if !s.LastActivity.IsZero() {
		field("last activity", "%s", s.LastActivity.Format(time.RFC3339))
	}
	if s.PricesUpdated != "" {
		field("prices", "of %s", s.PricesUpdated)
	}
	if len(s.FoldedLabels) > 0 {
		field("folded", "some values of %s are \"other\" in /metrics; labels.max_values sets the limits", strings.Join(s.FoldedLabels, ", "))
	}
	if r := s.LimitsRefused; r != nil && r.Reports > 0 {
		field("limits", "refused from status lines, because %s; statusline: {accept_limits: true} in the configuration accepts them", r.Reason)
	}
	if e := s.LastError; e != nil {
		field("last error", "%s, %s", e.Text, e.Time.Format(time.RFC3339))
	}
	if n := len(s.UnknownFormat); n > 0 {
		field("unknown", "%d unknown names in the transcripts; --json lists them", n)
	}
}

func printDirectories(w io.Writer, dirs []status.WatchedDir) {
	for _, d := range dirs {
		path := d.Path
		if d.Missing {
			path += " (does not exist)"
		}
		printField(w, "directory", "%s", path)
		if d.UnreadableDir != "" {
			printField(w, "unreadable", "%s", d.UnreadableDir)
		}
		if d.SkippedLinks > 0 {
			printField(w, "links", "%d in it are not followed; ccwatchd_skipped_links has the reasons", d.SkippedLinks)
		}
		if d.Archives > 0 {
			printField(w, "compressed", "%d files in it are left aside: ccwatchd once, report and backfill read them", d.Archives)
		}
	}
	if len(dirs) == 0 {
		printField(w, "directory", "none: the configuration names no existing directory")
	}
}

// stateOf describes the state of a daemon in a few words.
func stateOf(s *status.Status) string {
	switch {
	case !s.Ready:
		return fmt.Sprintf("catching up, %d %%", s.Percent)
	case len(s.Problems) > 0:
		return "ready, with problems"
	}
	return "ready"
}
