// Command latency measures how long the real ccwatchd needs without file events to
// count a new line, and what it costs while it is idle. It prints a Markdown table with
// the goals.
//
// The idle time comes first, since nothing is scraped during it. Then a line is written
// in each round, and /metrics is scraped until its counter has grown. The pause between
// two scrapes is a share of the time since the write, so that a long wait costs the
// daemon little; a latency is too long by at most that share and the duration of a
// scrape. The pause before a line is random, up to the longest latency of its kind so
// far: a line that immediately follows the count of the one before would always wait
// for a whole interval.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/test/gobuild"
)

const help = `Measures how long ccwatchd needs without file events to count a new line, and what it costs while it is idle.

It generates a tree of small session files, starts ccwatchd with polling forced, and prints the CPU time of the idle daemon and the time from write() until the counter on /metrics has grown, for:

  - a hot file: written within the last minutes;
  - a new file beside a hot one;
  - any other: alternately a file that is older than an hour, and a new one beside such files.

The tree is below $TMPDIR and is removed at the end. Other load on the machine makes all figures worse.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit status: 0, 1 after a failure, 2 if the arguments are invalid.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "latency: %v; try --help\n", err)
		return 2
	}
	r, err := measureBelow(ctx, o)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "latency:", err)
		return 1
	}
	_, _ = io.WriteString(stdout, report(o, r))
	return 0
}

type options struct {
	files, directories, rounds int
	idle, scan                 time.Duration
	binary                     string // built from source if empty
}

func parse(args []string) (o options, err error) {
	app := kingpin.New("latency", help)
	app.HelpFlag.Short('h')
	app.Flag("files", "Number of session files.").Default("5000").IntVar(&o.files)
	app.Flag("directories", "Number of directories they are in.").Default("800").IntVar(&o.directories)
	app.Flag("idle", "Duration of the idle time that is measured.").Default("2m").DurationVar(&o.idle)
	app.Flag("scan", "Interval between walks.").Default("30s").DurationVar(&o.scan)
	app.Flag("rounds", "Number of lines of each kind.").Default("20").IntVar(&o.rounds)
	app.Flag("binary", "The ccwatchd to run. Default: built from source.").PlaceHolder("FILE").StringVar(&o.binary)
	if _, err := app.Parse(args); err != nil {
		return o, err
	}
	if least := hotFiles + o.rounds; o.files < least || o.directories <= hotFiles || o.rounds < 1 || o.idle <= 0 {
		return o, fmt.Errorf("--files must be at least %d, --directories more than %d, --rounds and --idle positive", least, hotFiles)
	}
	return o, nil
}

// measureBelow measures in a temporary directory.
func measureBelow(ctx context.Context, o options) (r result, err error) {
	dir, err := os.MkdirTemp("", "latency-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.binary == "" {
		o.binary = filepath.Join(dir, "ccwatchd.exe") // Windows needs the suffix
		if err := gobuild.Build(ctx, gobuild.Ccwatchd, o.binary); err != nil {
			return r, err
		}
	}
	return measure(ctx, o, dir)
}
