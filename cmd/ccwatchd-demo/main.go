// Command ccwatchd-demo runs ccwatchd with the sessions of a simulated team, to try its
// page, metrics and dashboards without your own sessions.
//
// It runs the ccwatchd beside it, as in the release archives, or builds it in a clone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"golang.org/x/sync/errgroup"

	"github.com/ccwatchd/ccwatchd/test/demo"
)

const help = `Runs ccwatchd with the sessions of a simulated team, to try its page, metrics and dashboards.

The team has worked for 60 days, and goes on. Its sessions, and the state and configuration of ccwatchd, are in a temporary directory, which is removed at the end. Your own sessions are neither read nor changed.

  ccwatchd-demo --speed=60 -- --web.enable-lifecycle --log.level=warn`

// days is the number of days of work before the demo begins. Tests need fewer.
var days = 60

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the demo until a signal, or the end of ccwatchd. It returns 2 for invalid
// arguments, 1 for a failure, or the exit code of ccwatchd.
func run(args []string, stdout, stderr io.Writer) int {
	app := kingpin.New("ccwatchd-demo", help)
	app.HelpFlag.Short('h')
	o := demo.Options{Days: days}
	app.Flag("speed", "Speed of the team relative to real time. Timeouts are divided by it.").
		Default("20").Float64Var(&o.Speed)
	app.Flag("seed", "Seed of the random numbers.").
		Default("1").Uint64Var(&o.Seed)
	app.Flag("people", "Number of people.").
		Default("5").IntVar(&o.People)
	address := app.Flag("web.listen-address", "Address on which ccwatchd listens.").
		Default("localhost:10229").String()
	more := app.Arg("flag", "Other flags of ccwatchd, after --.").Strings()
	done := false
	app.Terminate(func(int) { done = true })
	app.UsageWriter(stdout).ErrorWriter(stderr)
	_, err := app.Parse(args)
	switch {
	case done:
		return 0
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "ccwatchd-demo: %v; try --help\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err = serve(ctx, o, *address, *more, stdout, stderr)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		return exit.ExitCode() // ccwatchd has printed why
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "ccwatchd-demo:", err)
		return 1
	}
	return 0
}

// serve runs ccwatchd for a simulated team. It removes all files after both have
// stopped.
func serve(ctx context.Context, o demo.Options, address string, flags []string, stdout, stderr io.Writer) (err error) {
	team, err := demo.New(o, time.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, team.Close()) }()
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	daemon, err := command(ctx, team, append(flags, "--web.listen-address="+address))
	if err != nil {
		return err
	}
	daemon.Stdout, daemon.Stderr = stdout, stderr
	introduce(stdout, team)
	group.Go(func() error {
		defer stop()
		if err := daemon.Run(); ctx.Err() == nil {
			return err
		}
		return nil
	})
	group.Go(func() error {
		awaitReady(ctx, address)
		return team.Run(ctx)
	})
	group.Go(func() error { return reportLimits(ctx, team, address) })
	return group.Wait()
}

func introduce(w io.Writer, team *demo.Simulation) {
	_, _ = fmt.Fprintf(w, `A simulated team of %d has worked for %d days, and works at %g times real speed. Your own sessions are not read.

A query to start with, tokens per second by user:

  sum by (user, type) (rate(claude_tokens_total[1m]))

The past for dashboards: ccwatchd backfill --help
All files are in %s and are removed at the end. Stop with Ctrl-C.

`, len(team.People), days, team.Speed, team.Dir())
}
