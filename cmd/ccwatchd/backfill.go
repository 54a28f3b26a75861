package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

const backfillHelp = `The history comes from the running daemon, or without one from the session files. It ends when the daemon first started: later values come from scraping it.

Prometheus stores it as blocks, in its data directory DATA:

  ccwatchd backfill --output=history.om
  promtool tsdb create-blocks-from openmetrics \
    --max-block-duration=720h history.om DATA

By remote write, to a server that accepts old samples, such as VictoriaMetrics, Mimir, and a Prometheus with out_of_order_time_window:

  ccwatchd backfill --to=http://localhost:8428/api/v1/write
  ccwatchd backfill --to=mimir --config.file=mimir.yml     with the credentials and headers of its remote_write

More examples:

  ccwatchd backfill --dry-run                              only print what it would write
  ccwatchd backfill --since=90d --step=15m                 less of it
  ccwatchd backfill --label=instance=laptop:10229          with the labels of your scrapes
  ccwatchd backfill --until=2026-11-20T10:00:00Z           for a server that began to scrape then
  ccwatchd backfill ~/archive/.claude                      of sessions that no daemon reads

` + timesHelp + `; only for --since

docs/history.md describes each server.`

// A backfillCommand holds the arguments of the command "backfill".
type backfillCommand struct {
	daemon       target
	client       *statusclient.Client // for the daemon
	since, until string
	step, idle   time.Duration
	idleGiven    bool
	labels       map[string]string
	output, to   string
	marker       string
	dryRun       bool
	force        bool
}

func (c *command) addBackfill() {
	b := backfillCommand{labels: make(map[string]string)}
	clause := c.add("backfill", "Write the past of all counters for a server such as Prometheus: as OpenMetrics, or by remote write.",
		func(stdout io.Writer, log *slog.Logger) (int, error) {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			err := c.backfill(ctx, &b, stdout, log)
			return exitCode(err), err
		}, targetFlags("config.file", "log.")...)
	clause.HelpLong(backfillHelp)
	b.daemon.addFlag(clause)
	b.addFlags(clause)
	clause.Arg("path", "Session files (also .gz and .zst) and directories to read instead of asking the daemon.").StringsVar(&c.paths)
}

func (b *backfillCommand) addFlags(clause *kingpin.CmdClause) {
	clause.Flag("since", "Beginning of the history. Default: all of it.").
		PlaceHolder("TIME").StringVar(&b.since)
	clause.Flag("until", "End of the history: no later than the first scrape by the server. Default: the first start of the daemon.").
		PlaceHolder("TIME").StringVar(&b.until)
	clause.Flag("step", "Time between two samples of a series. Prometheus shows no value when there was none for 5 minutes.").
		Default(backfill.DefaultStep.String()).DurationVar(&b.step)
	clause.Flag("idle", "Stop repeating a series this long after it grew, until it grows again. This makes the history many times smaller. In Prometheus increases stay right, and sums of counters do not; not for VictoriaMetrics. 0s repeats always. Default: 1h for a file, and 0s with --to.").
		PlaceHolder("DURATION").IsSetByUser(&b.idleGiven).DurationVar(&b.idle)
	clause.Flag("label", "Label of all series, as scrapes add it. Repeatable; an empty value removes it. Default: job=ccwatchd and instance=HOST:PORT of the daemon, or the labels of the entry of remote_write.").
		PlaceHolder("NAME=VALUE").StringMapVar(&b.labels)
	clause.Flag("output", "File to write. Default: standard output.").Short('o').
		PlaceHolder("FILE").StringVar(&b.output)
	clause.Flag("to", "URL to send to by remote write, or the name of an entry of remote_write in the configuration, whose credentials, headers and labels are used.").
		PlaceHolder("URL|NAME").StringVar(&b.to)
	clause.Flag("marker", "Do nothing if this file exists, and create it in the end: for services that run at every start.").
		PlaceHolder("FILE").StringVar(&b.marker)
	clause.Flag("dry-run", "Only print how much would be written.").BoolVar(&b.dryRun)
	clause.Flag("force", "Write more than 1 GB.").BoolVar(&b.force)
}

var (
	errTwoTargets = errors.New("give either --output or --to")
	errUntilAll   = errors.New("give a time, or no --until for the first start of the daemon")
	errTerminal   = errors.New("refusing to write samples to a terminal: give --output=FILE or --to=URL, or --dry-run")
)

// backfill plans, reports and writes the history.
func (c *command) backfill(ctx context.Context, b *backfillCommand, stdout io.Writer, log *slog.Logger) error {
	if err := b.checkTarget(stdout); err != nil {
		return argumentError{err}
	}
	if _, err := os.Stat(b.marker); b.marker != "" && err == nil {
		log.Info("The history was written before", "marker", b.marker)
		return nil
	}
	options, err := b.options(time.Now())
	if err != nil {
		return argumentError{err}
	}
	b.client = b.daemon.client(c)
	endpoint, err := c.backfillEndpoint(ctx, b)
	if err != nil {
		return err
	}
	maps.DeleteFunc(endpoint.Labels, func(_, value string) bool { return value == "" })
	options.Labels, endpoint.Labels = endpoint.Labels, nil
	report := progressLog{log: log, logged: time.Now()}
	options.Progress = report.progress
	plan, fromDaemon, err := c.planBackfill(ctx, b, options, log)
	if err != nil {
		return err
	}
	if report.total = plan.Samples; b.dryRun {
		b.printPlan(stdout, plan, fromDaemon)
		return nil
	}
	if plan.Samples == 0 {
		log.Warn("There is no history before the end: see --until")
		return nil
	}
	return b.writePlan(ctx, plan, &endpoint, stdout, log)
}

// checkTarget rejects two targets, and samples on a terminal.
func (b *backfillCommand) checkTarget(stdout io.Writer) error {
	switch {
	case b.output != "" && b.to != "":
		return errTwoTargets
	case b.output == "" && b.to == "" && !b.dryRun && isTerminal(stdout):
		return errTerminal
	}
	return nil
}

func (c *command) planBackfill(ctx context.Context, b *backfillCommand, options backfill.Options, log *slog.Logger) (plan *backfill.Plan, fromDaemon bool, err error) {
	source, fromDaemon, err := c.historySource(ctx, b, !options.Until.IsZero(), log)
	if err != nil {
		return nil, false, err
	}
	plan, err = backfill.New(ctx, source, options)
	switch {
	case backfill.IsInvalid(err):
		return nil, false, argumentError{err}
	case err != nil:
		return nil, false, err
	}
	if plan.Scraped {
		log.Warn("The history ends after the first start of the daemon: counters can fall there if older lines were read after the server's first scrape, see docs/history.md", "started", plan.Started)
	}
	return plan, fromDaemon, nil
}

// writePlan writes the samples of a plan, and then the marker.
func (b *backfillCommand) writePlan(ctx context.Context, plan *backfill.Plan, to *push.Endpoint, stdout io.Writer, log *slog.Logger) error {
	if err := b.checkSize(plan); err != nil {
		return err
	}
	log.Info("Writing the history", "series", plan.Series, "samples", plan.Samples, "size", "about "+format.Size(b.size(plan)), "from", plan.First, "until", plan.Last)
	if err := b.write(ctx, plan, to, stdout, log); err != nil || b.marker == "" {
		return err
	}
	if err := os.WriteFile(b.marker, nil, 0o600); err != nil {
		return fmt.Errorf("create marker: %w", err)
	}
	return nil
}

// options returns the options without labels. Days are local, and today ends now.
func (b *backfillCommand) options(now time.Time) (o backfill.Options, err error) {
	o.Step, o.Idle = b.step, b.idle
	if b.to == "" && !b.idleGiven {
		o.Idle = backfill.DefaultIdle
	}
	var sinceErr error
	if o.Since, _, sinceErr = api.ParseDays(b.since, now); sinceErr != nil {
		sinceErr = fmt.Errorf("--since: %w", sinceErr)
	}
	begin, end, untilErr := api.ParseDays(b.until, now)
	if b.until == "all" {
		untilErr = errUntilAll
	}
	if untilErr != nil {
		untilErr = fmt.Errorf("--until: %w", untilErr)
	}
	if o.Until = end; begin.Before(now) && end.After(now) { // today
		o.Until = now
	}
	return o, errors.Join(sinceErr, untilErr)
}
