package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// printPlan prints how much would be written and, if the history is from a daemon, when
// that started.
func printPlan(w io.Writer, p *backfill.Plan, fromDaemon bool) {
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
	field("file", "about %s", format.Size(p.FileSize))
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
