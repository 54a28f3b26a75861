// Command history writes the samples of a Prometheus that scrapes ccwatchd while a
// simulated team works for some days, as OpenMetrics for
// "promtool tsdb create-blocks-from openmetrics".
//
// Only the sessions are simulated: a real daemon reads them while they grow. Its clock
// is advanced from scrape to scrape, so that days take seconds. The same flags give the
// same sessions, but a scrape may happen before the daemon has read all of them.
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

	"github.com/ccwatchd/ccwatchd/test/demo"
)

const (
	day = 24 * time.Hour
	// short is the scrape interval in the recent past.
	short = 2 * time.Minute
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 after a failure, 2 if the arguments are invalid.
func run(args []string, stdout, stderr io.Writer) int {
	app := kingpin.New("history", "Writes the samples of scraping ccwatchd while a simulated team works, as OpenMetrics.")
	app.HelpFlag.Short('h')
	until := app.Flag("until", "Time of the last scrape, such as 2026-11-12T16:00:00Z.").Default("2026-11-12T16:00:00Z").String()
	days := app.Flag("days", "Number of days between the first and the last scrape.").Default("62").Int()
	people := app.Flag("people", "Number of people.").Default("3").Int()
	seed := app.Flag("seed", "Seed of the random numbers.").Default("1").Uint64()
	done := false
	app.Terminate(func(int) { done = true })
	app.UsageWriter(stdout).ErrorWriter(stderr)
	_, err := app.Parse(args)
	if done {
		return 0
	}
	end, bad := time.Parse(time.RFC3339, *until)
	if *days < 0 || *people < 1 || *people > demo.MaxPeople {
		bad = errors.Join(bad, fmt.Errorf("%w: there must be at least 0 days, and 1 to %d people", errOptions, demo.MaxPeople))
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

var errOptions = errors.New("invalid arguments")

// write writes the samples of all scrapes from begin to end.
func write(ctx context.Context, to *bufio.Writer, seed uint64, people int, begin, end time.Time) (err error) {
	dir, err := os.MkdirTemp("", "ccwatchd-history-")
	if err != nil {
		return fmt.Errorf("create temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	team, err := newTeam(dir, seed, people, begin, end)
	if err != nil {
		return err
	}
	w, err := newScraper(ctx, dir, team, begin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for now := begin; !now.After(end) && ctx.Err() == nil; now = now.Add(interval(now, end)) {
		w.set(now)
		written, err := team.Write(now)
		if err != nil {
			return err
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

// newTeam returns a team with homes below dir. It has a showcase before the end.
func newTeam(dir string, seed uint64, people int, begin, end time.Time) (*demo.Team, error) {
	team, err := demo.NewOffice(dir, seed, people, 14*time.Minute, begin)
	if err == nil {
		err = team.Register()
	}
	if err != nil {
		return nil, err
	}
	team.AddShowcase(people, end.Add(-2*time.Hour))
	return team, nil
}

// interval returns the time to the next scrape: the longer ago, the longer. Dashboards
// show only sums of most of the past, since midnight or by day, and every day begins
// with a scrape. Their graphs begin a day ago.
func interval(now, end time.Time) time.Duration {
	switch age := end.Sub(now); {
	case age <= 10*time.Hour:
		return short
	case age <= 25*time.Hour:
		return 10 * time.Minute
	case age <= 2*day:
		return 30 * time.Minute
	default:
		return 8 * time.Hour
	}
}
