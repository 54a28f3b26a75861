package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// printPlan prints how much would be written and, if the history is from a daemon, the
// daemon's first start.
func (b *backfillCommand) printPlan(w io.Writer, p *backfill.Plan, fromDaemon bool) {
	field := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(w, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	field("series", "%d", p.Series)
	field("samples", "%d, one every %v", p.Samples, p.Step)
	if p.Samples > 0 {
		field("from", "%s", p.First.Format(time.RFC3339))
	}
	field("until", "%s", p.Last.Format(time.RFC3339))
	if fromDaemon {
		field("started", "%s, the first start of the daemon", p.Started.Format(time.RFC3339))
	}
	name, note := "file", ""
	if b.to != "" {
		name, note = "requests", " before compression"
	}
	field(name, "about %s%s", format.Size(b.size(p)), note)
}

// createBlocks is the command that reads a file of samples. Without the hidden flag it
// reads the file once for every two hours.
const createBlocks = "promtool tsdb create-blocks-from openmetrics --max-block-duration=720h"

// printNextStep prints what to do with a file of samples.
func printNextStep(w io.Writer, name string) {
	_, _ = fmt.Fprintf(w, `Next, create blocks of it in DATA, the data directory of Prometheus, which may be running:

  %s %s DATA

Prometheus deletes samples older than 15 days, unless --storage.tsdb.retention.time is set.
`, createBlocks, terminal.Printable(name))
}

// A progressLog logs the progress of writing samples every five seconds.
type progressLog struct {
	log         *slog.Logger
	logged      time.Time
	done, total int64
}

func (p *progressLog) progress(samples int) {
	p.done += int64(samples)
	if time.Since(p.logged) >= 5*time.Second {
		p.logged = time.Now()
		p.log.Info("Writing", "samples", p.done, "percent", 100*p.done/max(1, p.total))
	}
}
