package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// A sample is what one run of a program cost.
type sample struct {
	wall time.Duration
	cpu  time.Duration // user and system
	peak int64         // resident bytes of its largest process; 0 where the system does not tell
	// floor is the least that peak can be: on Linux a process begins as a copy of
	// the one that starts it, and the kernel counts the copy's memory as its own.
	floor int64
}

// atFloor tells whether the peak may be no more than the floor. The kernel's
// counts of memory are rough, and of two moments.
func (s sample) atFloor() bool { return s.peak <= s.floor+s.floor/16 }

// A measurement runs programs in turn.
type measurement struct {
	programs []*program
	rounds   int
	progress io.Writer
}

// run leaves the outcome in the programs.
func (m *measurement) run(ctx context.Context) {
	for round := range m.rounds + 1 {
		for _, p := range m.programs {
			if p.failure == nil && p.takesPart(round) && ctx.Err() == nil {
				m.measure(ctx, p, round)
			}
		}
	}
}

// takesPart tells whether a program runs in a round. Round 0 is not measured.
func (p *program) takesPart(round int) bool { return !p.once || round == 1 }

func (m *measurement) measure(ctx context.Context, p *program, round int) {
	s, out, err := cost(p.command(ctx), p.totals != nil)
	if err == nil && p.totals != nil {
		var t tokens
		if t, err = p.totals(bytes.NewReader(out)); err == nil {
			p.tokens = &t
		}
	}
	name := fmt.Sprintf("round %d of %d", round, m.rounds)
	if round == 0 {
		name = "warm-up"
	}
	if err != nil {
		p.failure = err
		_, _ = fmt.Fprintf(m.progress, "compare: %s: %s failed: %v\n", name, p.name, err)
		return
	}
	if round > 0 {
		p.samples = append(p.samples, s)
	}
	_, _ = fmt.Fprintf(m.progress, "compare: %s: %s took %s\n", name, p.name, seconds(s.wall))
}

// cost runs a command and returns what it cost, and what it wrote to its
// standard output if that is wanted.
func cost(cmd *exec.Cmd, wanted bool) (sample, []byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stderr = &stderr
	if wanted {
		cmd.Stdout = &stdout
	}
	// What the command started must not hold us up when it is ended early.
	cmd.WaitDelay = time.Second
	floor := ownPeak()
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, nil, failure(cmd, err, stderr.Bytes())
	}
	state := cmd.ProcessState
	return sample{
		wall:  wall,
		cpu:   state.UserTime() + state.SystemTime(),
		peak:  peak(state),
		floor: floor,
	}, stdout.Bytes(), nil
}
