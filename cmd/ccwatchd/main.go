// Command ccwatchd follows the session files of Claude Code and exposes what
// happened in them as Prometheus metrics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run does what the arguments say and returns the exit code: 0, 1 when it
// failed, 2 when the arguments make no sense.
func run(args []string, env func(string) string, stdout, stderr io.Writer) int {
	nameVersion()
	c := newCommand(env)
	// Help and version end the process in kingpin unless they are asked to end
	// only the parsing.
	done := false
	c.app.Terminate(func(int) { done = true })
	c.app.UsageWriter(stdout).ErrorWriter(stderr)
	chosen, err := c.app.Parse(c.withCommand(args))
	switch {
	case done:
		return 0
	case err != nil:
		complain(stderr, fmt.Errorf("%s; try --help", c.misuse(args, err)))
		return 2
	}
	code, err := c.do(chosen, args, stdout, stderr)
	if err != nil {
		complain(stderr, err)
	}
	return code
}

var errUnknownCommand = errors.New("unknown command")

// do carries out a command and returns the exit code.
func (c *command) do(chosen string, args []string, stdout, stderr io.Writer) (int, error) {
	log := c.logger(stderr)
	if c.service.has(chosen) && !c.configCheck {
		return c.manageService(chosen, args, stdout)
	}
	if err := c.doOne(chosen, stdout, log); err != nil {
		return 1, err
	}
	return 0, nil
}

func (c *command) doOne(chosen string, stdout io.Writer, log *slog.Logger) error {
	switch {
	case c.configCheck:
		return c.check(stdout, log)
	case chosen == c.once.FullCommand():
		return c.readOnce(stdout, log)
	case chosen == c.run.FullCommand():
		return c.serveAsService(log)
	case chosen == c.demo.cmd.FullCommand():
		return c.serveDemo(stdout, log)
	case chosen == c.dashboards.cmd.FullCommand():
		return c.dashboards.write(stdout)
	case chosen == c.health.cmd.FullCommand():
		return c.health.check(context.Background(), (*c.web.WebListenAddresses)[0])
	}
	return fmt.Errorf("%w %q", errUnknownCommand, chosen)
}
