// Command latency measures how long the real ccwatchd needs to count a new line, and
// what it costs while it is idle: with file events, and with polling forced. It prints
// a Markdown table with a column for each mode.
//
// Each mode has its own copy of the same tree, and runs alone. The idle time comes
// first, since nothing is scraped during it. Then a line is written in each round, and
// /metrics is scraped until its counter has grown. The pause between two scrapes is a
// share of the time since the write, so that a long wait costs the daemon little; a
// latency is too long by at most that share and the duration of a scrape. The pause
// before a line is random, up to the longest latency of its kind so far: a line that
// immediately follows the count of the one before would always wait for a whole
// interval of polling.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/test/gobuild"
)

const help = `Measures how long ccwatchd needs to count a new line, and what it costs while it is idle, with file events and with polling.

It generates a tree of small session files, like that of Claude Code: sessions of the past 45 days, most of them in a few projects. For each mode it starts ccwatchd and prints:

  - the time from write() until the counter on /metrics has grown: minimum, median, 95th percentile and maximum, for a line in each kind of file;
  - the CPU time of the idle daemon, as a share of one core;
  - its resident memory.

The kinds are:

  - hot file: written within the last minutes;
  - new file: of a sub-agent of a hot session, or of a session in a project, which is chosen by how recently it was used;
  - new file in any project: each is as likely as any other;
  - new file in a new project;
  - resumed cold file: of a session that is older than an hour, chosen by its age, and registers as resumed at the same moment;
  - cold file: the same without registering;
  - any cold file: each is as likely as any other.

The tree is below $TMPDIR and is removed at the end. Other load on the machine makes all figures worse.

Examples:

  go run ./test/latency                                             as documented: ten minutes or more
  go run ./test/latency --modes=polling --files=100000 --directories=16000
  go run ./test/latency --hot=512 --idle=5m --rounds=5              the cost of many hot files
  go run ./test/latency --files=80 --directories=8 --idle=1s --rounds=1   a quick try`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit status: 0, 1 after a failure, 2 if the arguments are invalid.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "latency: %v; try --help\n", err)
		return 2
	case o == nil:
		return 0
	}
	o.progress = stderr
	results, err := measureAll(ctx, *o)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "latency:", err)
		return 1
	}
	_, _ = io.WriteString(stdout, report(*o, results))
	return 0
}

type options struct {
	files, directories, hot, rounds int
	idle, settle                    time.Duration
	seed                            uint64
	modes                           []string
	binary                          string // built from source if empty
	progress                        io.Writer
}

// parse returns nil without an error after printing the help.
func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	app := kingpin.New("latency", help)
	helped := false
	app.Terminate(func(int) { helped = true }).UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Flag("files", "Number of session files.").Default("5000").IntVar(&o.files)
	app.Flag("directories", "Number of directories they are in: projects, sessions and their sub-agents.").Default("800").IntVar(&o.directories)
	app.Flag("hot", "Number of files that were written within the last five minutes.").Default("5").IntVar(&o.hot)
	app.Flag("idle", "Duration of the idle time that is measured. After ten minutes hot files are not hot any more.").Default("1m").DurationVar(&o.idle)
	app.Flag("settle", "Pause before that, after everything has been read.").Default("10s").DurationVar(&o.settle)
	app.Flag("rounds", "Number of lines of each kind.").Default("20").IntVar(&o.rounds)
	modeNames := app.Flag("modes", "Modes to measure, in this order.").Default("events,polling").String()
	app.Flag("seed", "Seed of all random choices.").Default("1").Uint64Var(&o.seed)
	app.Flag("binary", "The ccwatchd to run. Default: built from source.").PlaceHolder("FILE").StringVar(&o.binary)
	_, err := app.Parse(args)
	if helped {
		return nil, nil
	}
	if err == nil {
		o.modes = strings.Split(*modeNames, ",")
		err = o.check()
	}
	return &o, err
}

func (o options) check() error {
	for i, mode := range o.modes {
		if _, ok := configurations[mode]; !ok || slices.Contains(o.modes[:i], mode) {
			return fmt.Errorf("--modes: unknown or repeated mode %q: want events, polling or both", mode)
		}
	}
	switch {
	case o.directories < 1 || o.files < o.directories:
		return errors.New("--files must be at least --directories, and that at least 1")
	case o.hot < 1 || o.hot > 512:
		return errors.New("--hot must be 1 to 512")
	case o.rounds < 1:
		return errors.New("--rounds must be at least 1")
	case o.idle <= 0 || o.settle < 0:
		return errors.New("--idle must be positive, and --settle not negative")
	}
	if cold := len(newTree("", o, time.Now()).cold); cold < 3*o.rounds {
		return fmt.Errorf("--rounds=%d needs %d cold files, and the tree has %d: raise --files", o.rounds, 3*o.rounds, cold)
	}
	return nil
}

// measureAll measures the modes in turn, in a temporary directory.
func measureAll(ctx context.Context, o options) (results []result, err error) {
	dir, err := os.MkdirTemp("", "latency-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.binary, err = findBinary(ctx, o.binary, dir); err != nil {
		return nil, err
	}
	for _, mode := range o.modes {
		r, err := measure(ctx, o, filepath.Join(dir, mode), mode)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", mode, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// findBinary uses the given ccwatchd, or builds one.
func findBinary(ctx context.Context, binary, dir string) (string, error) {
	if binary != "" {
		return filepath.Abs(binary)
	}
	// Windows needs the suffix, and other systems accept it.
	binary = filepath.Join(dir, "ccwatchd.exe")
	return binary, gobuild.Build(ctx, gobuild.Ccwatchd, binary)
}
