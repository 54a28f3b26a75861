// Command run proves of the real ccwatchd that nothing is lost, nothing is counted
// twice and no counter falls, whatever goes wrong; see package torture. It is for
// the development of ccwatchd only.
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

	"github.com/ccwatchd/ccwatchd/internal/torture"
)

const help = `Runs ccwatchd while sessions are written and everything goes wrong that can, and compares what it shows with what was written.

Files are truncated, replaced, moved, copied, cloned, saved in place, shortened, hidden and deleted, all of them vanish and come back, notifications are lost, configurations are bad, ` +
	`and the daemon is stopped, ended and killed. All the while it is scraped: no counter may fall, and in the end all must be true.

The same seed does the same things in the same order; when they happen to the daemon is up to the machine. It exits with 1 if something is wrong, ` +
	`and says what was the first.

Examples:

  go run ./internal/torture/run                               a minute, another one each time
  go run ./internal/torture/run --seed=7 --duration=1h        an hour, the same again
  go run ./internal/torture/run --seed=7 --keep=/tmp/torture  leave everything there to look at`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does what the arguments say and returns the exit code: 0, 1 when something
// is wrong with the daemon, 2 when nothing could be found out.
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
	if summary.Verdict != nil {
		return 1
	}
	return 0
}

// parse returns nil without an error when it was asked for help only.
func parse(args []string, stdout io.Writer) (*torture.Options, error) {
	var o torture.Options
	app := kingpin.New("torture", help)
	done := false
	app.Terminate(func(int) { done = true }).UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Flag("seed", "What is left to chance depends on this number. Default: from the clock, and printed.").
		PlaceHolder("N").Default(fmt.Sprint(time.Now().UnixMilli())).Uint64Var(&o.Seed)
	app.Flag("duration", "How long it takes, without some seconds at the end.").Default("1m").DurationVar(&o.Duration)
	app.Flag("rate", "Steps in a second. Most of them write a line or a part of one.").Default("400").IntVar(&o.Rate)
	app.Flag("kills", "How often the daemon is ended in a minute, five of six times with -9.").Default("20").Float64Var(&o.Kills)
	app.Flag("binary", "The ccwatchd to run. Default: it is built.").PlaceHolder("FILE").StringVar(&o.Binary)
	app.Flag("keep", "Directory in which everything is left: sessions, state, log.").PlaceHolder("DIR").StringVar(&o.Dir)
	_, err := app.Parse(args)
	switch {
	case done:
		return nil, nil
	case err == nil && (o.Rate < 1 || o.Rate > 100_000 || o.Kills < 0 || o.Duration <= 0):
		err = errors.New("--rate must be 1 to 100000, --kills no less than 0, and --duration more")
	}
	if err != nil {
		return nil, err
	}
	return &o, nil
}
