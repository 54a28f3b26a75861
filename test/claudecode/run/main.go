// Command run runs the real Claude Code against a scripted API and compares its answers
// with the counters of ccwatchd; see package claudecode. It is for the development of
// ccwatchd only. "make claude" runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/test/claudecode/install"
	"github.com/ccwatchd/ccwatchd/test/claudecode/play"
	"github.com/ccwatchd/ccwatchd/test/claudecode/sandbox"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

const help = `Runs versions of Claude Code, from npm, against a scripted API, and compares what the API served with what ccwatchd counts.

It prints a table for each version: what was served and counted in each scenario, and why no line states the rest; and kinds of lines, fields and values that are not ` +
	`in the list of known ones. It exits with 1 if something else differs. Without Linux, npm, or permission to create namespaces, it says so and exits with 0.

Examples:

  go run ./test/claudecode/run                                      the newest version
  go run ./test/claudecode/run --claude=2.1.300 hello 'gateway*'   some scenarios
  go run ./test/claudecode/run --dir=/tmp/runs                      keep the transcripts
  go run ./test/claudecode/run --dir=/tmp/runs --judge              compare these again
  go run ./test/claudecode/run --update                             add to the list of known fields
  go run ./test/claudecode/run --golden=testdata/claudecode         write the masked transcripts`

func main() {
	if len(os.Args) > 1 && (os.Args[1] == sandbox.Probe || os.Args[1] == insideRun) {
		inside(os.Args[1])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// With the argument insideRun, this program plays a scenario in a sandbox.
const insideRun = "inside-sandbox"

func inside(what string) {
	err := sandbox.Enter()
	if err == nil && what == insideRun {
		err = play.Inside(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

type options struct {
	versions  []string
	scenarios []string
	jobs      int
	dir       string
	judge     bool
	ccwatchd  string
	cache     string
	knownFile string
	update    bool
	golden    string
	require   bool
}

// run returns the exit status: 0, 1 after a difference, or 2 if it could not compare.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "claudecode: %v; try --help\n", err)
		return 2
	case o == nil:
		return 0
	case !o.judge:
		if err := available(ctx); err != nil {
			return o.notRun(err, stdout)
		}
	}
	s := session{options: *o, out: stdout, progress: stderr}
	failed, err := s.run(ctx)
	if errors.Is(err, install.ErrNoNPM) {
		return o.notRun(err, stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "claudecode: %v\n", err)
		return 2
	}
	if failed {
		return 1
	}
	return 0
}

// notRun returns the exit status if Claude Code cannot be run here.
func (o *options) notRun(err error, stdout io.Writer) int {
	_, _ = fmt.Fprintf(stdout, "Claude Code is not run: %v\n", err)
	if o.require {
		return 2
	}
	return 0
}

// available returns an error if Claude Code cannot be run here.
func available(ctx context.Context) error {
	if err := sandbox.Available(ctx); err != nil {
		return err
	}
	return install.Available()
}

// parse returns nil without an error after printing the help.
func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	app := kingpin.New("claudecode", help)
	helped := false
	app.Terminate(func(int) { helped = true }).UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Flag("claude", "Version of Claude Code. Repeatable. Default: the newest.").PlaceHolder("VERSION").StringsVar(&o.versions)
	app.Flag("jobs", "Scenarios that run at the same time.").Default("3").IntVar(&o.jobs)
	app.Flag("dir", "Directory to keep the runs in. Default: a temporary one.").PlaceHolder("DIR").StringVar(&o.dir)
	app.Flag("judge", "Run nothing, and compare the runs in --dir again, at rest only.").BoolVar(&o.judge)
	app.Flag("ccwatchd", "The ccwatchd to compare. Default: built from source.").PlaceHolder("FILE").StringVar(&o.ccwatchd)
	app.Flag("cache", "Directory for versions of Claude Code.").Default(defaultCache()).StringVar(&o.cache)
	app.Flag("known", "List of known kinds of lines, fields and values.").
		Default("test/claudecode/testdata/known.txt").StringVar(&o.knownFile)
	app.Flag("update", "Add to that list what the runs have.").BoolVar(&o.update)
	app.Flag("golden", "Write masked transcripts to a directory.").PlaceHolder("DIR").StringVar(&o.golden)
	app.Flag("require", "Fail if Claude Code cannot be run here.").BoolVar(&o.require)
	app.Arg("scenario", "Names or patterns of scenarios. Default: all.").StringsVar(&o.scenarios)
	if _, err := app.Parse(args); err != nil {
		return nil, err
	}
	if helped {
		return nil, nil
	}
	for _, text := range o.versions {
		if _, err := version.Parse(text); err != nil && text != newest {
			return nil, err
		}
	}
	if o.judge && o.dir == "" {
		return nil, errors.New("--judge needs --dir")
	}
	return &o, nil
}

// newest is the name of the newest version that npm has.
const newest = "newest"
