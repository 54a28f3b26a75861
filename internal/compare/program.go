package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A program is one of those that are compared.
type program struct {
	name    string // in the tables
	note    string // version and command line
	command func(context.Context) *exec.Cmd
	totals  func(io.Reader) (tokens, error) // reads its output; nil if it counts no tokens

	// once makes it run in the first measured round only, because it takes
	// too long. It is not warmed up, which the others have done for the files.
	once bool

	samples []sample // of the rounds that it took part in, from the first one on
	tokens  *tokens
	failure error // what ended its part
}

// baseline is the program that the others' times are compared with: nothing
// that finds lines can be much faster.
const baseline = "wc -l"

// programs returns those that can run here, and why others cannot, in the order
// of the tables. It is an error if ccwatchd cannot be built.
func (w *workshop) programs(ctx context.Context, c *corpus, ccusageVersion string) (all []*program, absent []string, err error) {
	ccwatchd, err := w.ccwatchd(ctx)
	if err != nil {
		return nil, nil, err
	}
	candidates := []struct {
		name string
		get  func() (*program, error)
	}{
		{"cat", func() (*program, error) { return overFiles(ctx, c, "cat") }},
		{baseline, func() (*program, error) { return overFiles(ctx, c, "wc", "-l") }},
		{"jq", func() (*program, error) { return jq(ctx, c) }},
		{"ccwatchd", func() (*program, error) { return ccwatchdOnce(ctx, c, ccwatchd), nil }},
		{"ccusage", func() (*program, error) { return w.ccusageDaily(ctx, c, ccusageVersion) }},
	}
	for _, candidate := range candidates {
		p, err := candidate.get()
		if err != nil {
			absent = append(absent, fmt.Sprintf("%s: %v", candidate.name, err))
			continue
		}
		p.name = candidate.name
		all = append(all, p)
	}
	return all, absent, nil
}

// overFiles is a command that takes the files as its arguments, as many at a
// time as the system allows.
func overFiles(ctx context.Context, c *corpus, command ...string) (*program, error) {
	if err := find("xargs", command[0]); err != nil {
		return nil, err
	}
	args := append([]string{"-0"}, command...)
	return &program{
		note: versionOf(ctx, command[0]) + ", as `xargs " + strings.Join(args, " ") + "`",
		command: func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, "xargs", args...) //nolint:gosec // one of the candidates
			cmd.Stdin = c.list()
			return cmd
		},
	}, nil
}

func jq(ctx context.Context, c *corpus) (*program, error) {
	p, err := overFiles(ctx, c, "jq", "-ncR", jqSum)
	if err != nil {
		return nil, err
	}
	p.note = versionOf(ctx, "jq") + ", as `xargs -0 jq -ncR` with the sum of `.message.usage` of all lines, in one round only"
	p.totals = jqTokens
	p.once = true
	return p, nil
}

func ccwatchdOnce(ctx context.Context, c *corpus, binary string) *program {
	return &program{
		note: sourceVersion(ctx) + ", as `ccwatchd once DIR/projects`",
		command: func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, binary, "once", c.projects) //nolint:gosec // it was built for this
		},
		totals: expositionTokens,
	}
}

// ccusageDaily runs the report of Claude Code alone: "ccusage daily" would read
// whatever it finds of other agents too.
func (w *workshop) ccusageDaily(ctx context.Context, c *corpus, version string) (*program, error) {
	binary, err := w.ccusage(ctx, version)
	if err != nil {
		return nil, err
	}
	return &program{
		note: versionOf(ctx, binary) + ", its native binary, as `CLAUDE_CONFIG_DIR=DIR ccusage claude daily --offline --json`",
		command: func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, binary, "claude", "daily", "--offline", "--json")
			// At home there might be a configuration that leaves out some days.
			cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+c.dir(), "HOME="+w.cache)
			return cmd
		},
		totals: ccusageTokens,
	}, nil
}

// find says which of several commands is not installed.
func find(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is not installed", name)
		}
	}
	return nil
}

// versionOf returns the first line that a command says of its version, or
// that it says nothing.
func versionOf(ctx context.Context, command string) string {
	out, err := output(exec.CommandContext(ctx, command, "--version"))
	line, _, _ := strings.Cut(string(out), "\n")
	if line = strings.TrimSpace(line); err != nil || line == "" {
		return filepath.Base(command) + " of this system"
	}
	return line
}

// sourceVersion names the source from which ccwatchd is built.
func sourceVersion(ctx context.Context) string {
	out, err := output(exec.CommandContext(ctx, "git", "describe", "--always", "--dirty"))
	if err != nil {
		return "ccwatchd of this checkout"
	}
	return "commit " + strings.TrimSpace(string(out))
}

// output returns what a command wrote to its standard output. Its error ends
// with the last line that it wrote to the other one.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	return out, failure(cmd, err, stderr.Bytes())
}

// failure tells why a command failed, nil if it did not.
func failure(cmd *exec.Cmd, err error, stderr []byte) error {
	if err == nil {
		return nil
	}
	text := strings.TrimSpace(string(stderr))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if last != "" {
		last = ": " + last
	}
	return fmt.Errorf("run %s: %w%s", filepath.Base(cmd.Path), err, last)
}
