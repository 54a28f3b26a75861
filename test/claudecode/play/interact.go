package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
)

// actionTime limits the time of one action.
const actionTime = 40 * time.Second

// echoTime is the pause between a text and Enter.
const echoTime = 400 * time.Millisecond

// keys are the bytes that a terminal sends for keys.
var keys = map[string]string{"enter": "\r", "esc": "\x1b", "ctrl-c": "\x03", "down": "\x1b[B", "up": "\x1b[A", "tab": "\t", "shift-tab": "\x1b[Z"}

// interact runs Claude Code on a terminal, as most people do.
func (p *player) interact(ctx context.Context, index int, step scenario.Step) error {
	cmd := p.claude(ctx, step.Terminal)
	cmd.Dir, cmd.Env = scenario.Work, p.environment()
	t, err := open(cmd)
	if err != nil {
		return fmt.Errorf("open a terminal: %w", err)
	}
	defer func() {
		name := fmt.Sprintf("screen.%d", index+1)
		// For people: a file that is missing has no consequence.
		_ = os.WriteFile(filepath.Join(scenario.Run, name), t.output(), 0o600)
	}()
	for i, a := range step.Actions {
		if err := p.act(ctx, t, a); err != nil {
			return errors.Join(fmt.Errorf("action %d: %w; the screen: %s", i+1, err, tail(t.text(), 300)), t.end(ctx))
		}
	}
	return t.end(ctx)
}

func (p *player) act(ctx context.Context, t *terminal, a scenario.Action) error {
	ctx, cancel := context.WithTimeout(ctx, actionTime)
	defer cancel()
	switch {
	case a.Await != "":
		return wait(ctx, fmt.Sprintf("%q is shown", a.Await), func() bool { return t.shows(a.Await) })
	case a.Answered > 0:
		return wait(ctx, fmt.Sprintf("%d answers", a.Answered), func() bool { return p.api.Answers() >= a.Answered })
	case a.Quiet > 0:
		return wait(ctx, "nothing is shown", func() bool { return t.quiet(a.Quiet) })
	case a.Type != "":
		if err := t.write(a.Type); err != nil {
			return err
		}
		// Enter at once would be taken for a part of a pasted text.
		echo := strings.TrimLeft(a.Type, "!")
		if err := wait(ctx, "the text is shown", func() bool { return t.shows(echo) && t.quiet(echoTime) }); err != nil {
			return err
		}
		return t.write(keys["enter"])
	case keys[a.Key] != "":
		return t.write(keys[a.Key])
	default:
		return t.write(a.Key)
	}
}

// wait waits until a condition holds.
func wait(ctx context.Context, condition string, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("timeout, waiting until %s", condition)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}
