package servicecmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// A controller runs one service command. Tests replace the fields that reach out
// of the process.
type controller struct {
	*Commands
	out         io.Writer
	given       []*kingpin.ParseElement // the command line
	environment environment
	paths       paths
	executable  string

	newManager func(paths, packaging.Program) (manager, error)
	runProgram func(ctx context.Context, input, name string, args ...string) error
	root       string        // prefix of all paths; "" except in tests
	interval   time.Duration // between two status requests
	timeout    time.Duration // for a service that does not answer
}

// controller finds out which service a command line means.
func (c *Commands) controller(parsed *kingpin.ParseContext, out io.Writer) (*controller, error) {
	env, account, err := detect(service.Platform(), c.Env)
	if err != nil {
		return nil, err
	}
	paths, ok := c.pathsOf(env.manager, c.user || !c.system && env.hasUserServices(), account)
	if !ok {
		return nil, env.check(paths.user, false)
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	return &controller{
		Commands: c, out: out, given: parsed.Elements, environment: env, paths: paths, executable: executable,
		newManager: newManager, runProgram: runProgram, interval: 200 * time.Millisecond, timeout: 30 * time.Second,
	}, nil
}

// runProgram runs a program to its end.
func runProgram(ctx context.Context, input, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // constants
	cmd.Stdin = strings.NewReader(input)
	if output, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(output), "\n")
		return fmt.Errorf("run %s: %w: %s", name, err, line)
	}
	return nil
}

// printField prints a name and its value, unless that is empty.
func (s *controller) printField(name, value string) {
	if value != "" {
		s.printf("  %-10s %s", name, value)
	}
}

// printf prints a line.
func (s *controller) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}
