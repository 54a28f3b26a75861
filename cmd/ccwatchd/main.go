// Command ccwatchd follows the session files of Claude Code and exposes what
// happened in them as Prometheus metrics.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run runs the command in the arguments and returns the exit code: 1 for a failure, 2
// for invalid arguments.
func run(args []string, env func(string) string, stdout, stderr io.Writer) int {
	setVersion()
	c := newCommand(env)
	// kingpin ends the process after help and version, unless Terminate is set.
	done := false
	c.app.Terminate(func(int) { done = true })
	c.app.UsageWriter(stdout).ErrorWriter(stderr)
	_, err := c.app.Parse(c.withCommand(args))
	switch {
	case done:
		return 0
	case err != nil:
		printError(stderr, fmt.Errorf("%s; try --help", c.usageError(args, err)))
		return 2
	}
	code, err := c.execute(stdout, c.logger(stderr))
	if err != nil {
		printError(stderr, err)
		code = max(code, 1)
	}
	return code
}
