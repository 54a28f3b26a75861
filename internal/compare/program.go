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
	standard := []struct {
		program
		args []string
	}{
		{program{name: "cat"}, []string{"cat"}},
		{program{name: baseline}, []string{"wc", "-l"}},
		{program{name: "jq", totals: jqTokens, once: true}, []string{"jq", "-ncR", jqSum}},
	}
	for _, s := range standard {
		if err := find("xargs", s.args[0]); err != nil {
			absent = append(absent, fmt.Sprintf("%s: %v", s.name, err))
			continue
		}
		p := s.program
		p.note = versionOf(ctx, s.args[0]) + ", as `xargs -0 " + strings.Join(s.args, " ") + "`"
		if p.once {
			p.note = versionOf(ctx, s.args[0]) + ", as `xargs -0 jq -ncR` with the sum of `.message.usage` of all lines, in one round only"
		}
		p.command = func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, "xargs", append([]string{"-0"}, s.args...)...) //nolint:gosec // one of the above
			cmd.Stdin = c.list()
			return cmd
		}
		all = append(all, &p)
	}
	ccwatchd, err := w.ccwatchd(ctx)
	if err != nil {
		return nil, nil, err
	}
	all = append(all, &program{
		name: "ccwatchd",
		note: sourceVersion(ctx) + ", as `ccwatchd once DIR/projects`",
		command: func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, ccwatchd, "once", c.projects) //nolint:gosec // it was built for this
		},
		totals: expositionTokens,
	})
	ccusage, err := w.ccusage(ctx, ccusageVersion)
	if err != nil {
		return all, append(absent, fmt.Sprintf("ccusage: %v", err)), nil
	}
	return append(all, &program{
		name: "ccusage",
		note: versionOf(ctx, ccusage) + ", its native binary, as `CLAUDE_CONFIG_DIR=DIR ccusage claude daily --offline --json`",
		command: func(ctx context.Context) *exec.Cmd {
			// Without "claude" it would read what it finds of other agents too, and
			// at home it might find a configuration that leaves out some days.
			cmd := exec.CommandContext(ctx, ccusage, "claude", "daily", "--offline", "--json")
			cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+c.dir(), "HOME="+w.cache)
			return cmd
		},
		totals: ccusageTokens,
	}), absent, nil
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
