// Command history writes what a Prometheus would have stored that scraped
// ccwatchd while a made-up team worked for some days, as OpenMetrics for
// "promtool tsdb create-blocks-from openmetrics".
//
// The sessions are made up, everything else is real: a daemon reads them while
// they grow, with a clock that is set on from one scrape to the next. So days
// take seconds, and dashboards have a past to show. The same flags give the same
// sessions; a scrape may come when the daemon has still some lines of them to read.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kingpin/v2"
)

// How often there is a scrape: every minute of the recent past, and rarely before
// that, of which only sums are asked.
const (
	often  = time.Minute
	recent = 10 * time.Hour
	rarely = 2 * time.Hour
	day    = 24 * time.Hour
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the arguments say and returns the exit code: 0, 1 when it
// failed, 2 when the arguments make no sense.
func run(args []string, stdout, stderr io.Writer) int {
	app := kingpin.New("history", "Writes what scrapes of a made-up team would have shown, as OpenMetrics.")
	app.HelpFlag.Short('h')
	until := app.Flag("until", "When the last scrape was, such as 2026-11-12T16:00:00Z.").Default("2026-11-12T16:00:00Z").String()
	days := app.Flag("days", "How many days before that the first one was.").Default("11").Int()
	people := app.Flag("people", "How many people there are.").Default("3").Int()
	seed := app.Flag("seed", "What is left to chance depends on this number.").Default("1").Uint64()
	done := false
	app.Terminate(func(int) { done = true })
	app.UsageWriter(stdout).ErrorWriter(stderr)
	_, err := app.Parse(args)
	if done {
		return 0
	}
	end, bad := time.Parse(time.RFC3339, *until)
	if *days < 0 || *people < 1 || *people > len(names) {
		bad = errors.Join(bad, fmt.Errorf("%w: from 0 days and 1 to %d people", errOffice, len(names)))
	}
	if err := errors.Join(err, bad); err != nil {
		_, _ = fmt.Fprintf(stderr, "history: %v; try --help\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	to := bufio.NewWriter(stdout)
	if err := write(ctx, to, *seed, *people, end.Add(-time.Duration(*days)*day), end); err != nil {
		_, _ = fmt.Fprintln(stderr, "history:", err)
		return 1
	}
	return 0
}

// errOffice is that of an office that cannot be.
var errOffice = errors.New("there is no such office")

// write writes all scrapes from begin to end.
func write(ctx context.Context, to *bufio.Writer, seed uint64, people int, begin, end time.Time) (err error) {
	dir, err := os.MkdirTemp("", "ccwatchd-history-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o, err := newOffice(dir, seed, people, begin, end)
	if err != nil {
		return err
	}
	w, err := newWatcher(ctx, dir, o, begin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for now := begin; !now.After(end) && ctx.Err() == nil; now = now.Add(interval(now, end)) {
		w.set(now)
		written, err := o.work(now)
		if err != nil {
			return fmt.Errorf("write sessions: %w", err)
		}
		if err := w.await(ctx, written); err != nil {
			return err
		}
		if err := w.scrape(to, now); err != nil {
			return err
		}
	}
	if _, err := to.WriteString("# EOF\n"); err != nil {
		return err
	}
	return errors.Join(ctx.Err(), to.Flush())
}

// interval is the time from a scrape to the next one.
func interval(now, end time.Time) time.Duration {
	if end.Sub(now) > recent {
		return rarely
	}
	return often
}
