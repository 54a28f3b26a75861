// Command run checks that the real ccwatchd loses nothing, counts nothing twice and
// never lowers a counter, whatever goes wrong; see package torture. It is for the
// development of ccwatchd only.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/test/torture"
)

const help = `Runs ccwatchd with all kinds of faults while sessions are written, and compares its counters with the true totals.

It truncates, replaces, moves, copies, clones, saves, shortens, hides and deletes files, removes and recreates all of them, loses file events, ` +
	`loads bad configurations, and stops, ends and kills the daemon. It scrapes continuously: no counter may fall, and in the end all totals must be exact.

The same seed gives the same sequence of faults; their timing depends on the machine. On a failure it prints the first one and exits with 1.

Examples:

  go run ./test/torture/run                               a minute, with another seed each time
  go run ./test/torture/run --seed=7 --duration=1h        an hour, with the same seed
  go run ./test/torture/run --seed=7 --keep=/tmp/torture  keep all files`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit status: 0, 1 after a failure of the daemon, or 2 if it could not
// be tested.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "torture: %v; try --help\n", err)
		return 2
	}
	if o == nil {
		return 0
	}
	o.Progress = stderr
	_, _ = fmt.Fprintf(stderr, "torture: seed %d, %v\n", o.Seed, o.Duration)
	summary, err := torture.Run(ctx, *o)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "torture: seed %d: %v\n", o.Seed, err)
		return 2
	}
	_, _ = io.WriteString(stdout, summary.String())
	if summary.Failure != nil {
		return 1
	}
	return 0
}

// parse returns nil without an error after printing the help.
func parse(args []string, stdout io.Writer) (*torture.Options, error) {
	var o torture.Options
	app := kingpin.New("torture", help)
	helped := false
	app.Terminate(func(int) { helped = true }).UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Flag("seed", "Seed of all random choices. Default: the time; it is printed.").
		PlaceHolder("N").Default(fmt.Sprint(time.Now().UnixMilli())).Uint64Var(&o.Seed)
	app.Flag("duration", "Duration, without some seconds at the end.").Default("1m").DurationVar(&o.Duration)
	app.Flag("rate", "Steps per second. Most of them write a line or a part of one.").Default("400").IntVar(&o.Rate)
	app.Flag("kills", "How often the daemon is ended per minute, five of six times with SIGKILL.").Default("20").Float64Var(&o.Kills)
	app.Flag("polling", "Run ccwatchd without file events. Default: with or without them at random.").BoolVar(&o.Polling)
	app.Flag("binary", "The ccwatchd to run. Default: built from source.").PlaceHolder("FILE").StringVar(&o.Binary)
	app.Flag("keep", "Directory to keep all files in: sessions, state, log.").PlaceHolder("DIR").StringVar(&o.Dir)
	_, err := app.Parse(args)
	switch {
	case helped:
		return nil, nil
	case err == nil && (o.Rate < 1 || o.Rate > 100_000 || o.Kills < 0 || o.Duration <= 0):
		err = errors.New("--rate must be 1 to 100000, --kills at least 0, and --duration positive")
	}
	if err != nil {
		return nil, err
	}
	return &o, nil
}
