// Command ccwatchd follows the session files of Claude Code and exposes what
// happened in them as Prometheus metrics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		complain(stderr, fmt.Errorf("%s; try --help", misuse(err)))
		return 2
	}
	if err := c.do(chosen, stdout, stderr); err != nil {
		complain(stderr, err)
		return 1
	}
	return 0
}

var errUnknownCommand = errors.New("unknown command")

func (c *command) do(chosen string, stdout, stderr io.Writer) error {
	log := c.logger(stderr)
	switch {
	case c.configCheck:
		return c.check(stdout, log)
	case chosen == c.once.FullCommand():
		return c.readOnce(stdout, log)
	case chosen == c.run.FullCommand():
		return c.serve(log)
	case chosen == c.health.cmd.FullCommand():
		return c.health.check(context.Background(), (*c.web.WebListenAddresses)[0])
	}
	return fmt.Errorf("%w %q", errUnknownCommand, chosen)
}
