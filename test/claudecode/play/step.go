package play

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
)

// stepTime limits the time of one step.
const stepTime = 90 * time.Second

func (p *player) step(ctx context.Context, index int, step scenario.Step) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	switch {
	case step.Shell != "":
		return p.run(exec.CommandContext(ctx, "sh", "-c", step.Shell), step) //nolint:gosec // of a scenario
	case step.Together != nil:
		var group errgroup.Group
		for _, args := range step.Together {
			group.Go(func() error { return p.run(p.claude(ctx, args), step) })
		}
		return group.Wait()
	case step.Terminal != nil:
		return p.interact(ctx, index, step)
	default:
		return p.run(p.claude(ctx, step.Claude), step)
	}
}

// claude returns a command that runs Claude Code.
func (p *player) claude(ctx context.Context, args []string) *exec.Cmd {
	var program []string
	for _, part := range p.job.Program {
		if strings.Contains(part, "/") {
			part = filepath.Join(scenario.Run, ProgramDir, part)
		}
		program = append(program, part)
	}
	program = append(program, args...)
	cmd := exec.CommandContext(ctx, program[0], program[1:]...) //nolint:gosec // of the job
	cmd.WaitDelay = time.Second                                 // its children can keep its output open
	return cmd
}

// run runs a command and expects the exit status of a step.
func (p *player) run(cmd *exec.Cmd, step scenario.Step) error {
	cmd.Dir, cmd.Env = scenario.Work, p.environment()
	cmd.Stdin = strings.NewReader(step.Input)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != step.Exit {
		return fmt.Errorf("exit status %d: %s", code, tail(string(out), 300))
	}
	return nil
}

// tail returns the end of a text on one line.
func tail(text string, length int) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[max(0, len(text)-length):]
}
