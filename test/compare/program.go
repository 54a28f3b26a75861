//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// A program is one of the programs to compare.
type program struct {
	name    string
	note    string // its command line
	command func(context.Context) *exec.Cmd
	totals  func(io.Reader) (*tokens, error) // parses its output; nil if it counts no tokens
	once    bool                             // runs in the first measured round only, since it is slow

	wall, cpu []time.Duration // of each round
	peak      []int64         // resident bytes of its largest process
	tokens    *tokens
	err       error // why it is not in the tables
}

// programs returns the programs in the order of the tables. The others are compared
// with the first one.
func programs(c *corpus, ccwatchd, ccusage string) []*program {
	jq := overFiles(c, "jq", "-ncR", jqSum)
	jq.name, jq.totals, jq.once = "jq", reportTokens, true
	jq.note = "`xargs -0 jq -ncR` with the sum of `.message.usage` of all lines, in one round only"
	return []*program{
		overFiles(c, "wc", "-l"),
		overFiles(c, "cat"),
		jq,
		{
			name: "ccwatchd", note: "`ccwatchd once DIR/projects`", totals: expositionTokens,
			command: func(ctx context.Context) *exec.Cmd {
				return exec.CommandContext(ctx, ccwatchd, "once", c.projects) //nolint:gosec // the user's choice
			},
		},
		{
			// "ccusage daily" would read the files of other agents too.
			name: "ccusage", note: "`CLAUDE_CONFIG_DIR=DIR ccusage claude daily --offline --json`", totals: reportTokens,
			command: func(ctx context.Context) *exec.Cmd {
				cmd := exec.CommandContext(ctx, ccusage, "claude", "daily", "--offline", "--json")
				// The user's home might hold a configuration that filters days.
				cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+c.dir, "HOME="+c.dir)
				return cmd
			},
		},
	}
}

// overFiles is a program that takes the files as its arguments.
func overFiles(c *corpus, command ...string) *program {
	args := append([]string{"-0"}, command...)
	return &program{
		name: strings.Join(command, " "), note: "`xargs " + strings.Join(args, " ") + "`",
		command: func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, "xargs", args...) //nolint:gosec // one of the programs above
			cmd.Stdin = strings.NewReader(strings.Join(c.files, "\x00"))
			return cmd
		},
	}
}

// tokens are the totals that all programs have in common.
type tokens struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheWrite int64 `json:"cacheCreationTokens"`
	CacheRead  int64 `json:"cacheReadTokens"`
}

func (t *tokens) fields() []*int64 {
	return []*int64{&t.Input, &t.Output, &t.CacheWrite, &t.CacheRead}
}

// expositionTokens adds up the tokens of all models and agents in an exposition.
func expositionTokens(r io.Reader) (*tokens, error) {
	samples, err := exposition.Parse(r, exposition.Text)
	if err != nil {
		return nil, err
	}
	var t tokens
	fields := map[string]*int64{
		"input": &t.Input, "output": &t.Output, "cache_write_5m": &t.CacheWrite, "cache_write_1h": &t.CacheWrite, "cache_read": &t.CacheRead,
	}
	for kind, field := range fields {
		n, _ := samples.Sum("claude_tokens_total", "type", kind)
		*field += int64(n)
	}
	return &t, nil
}

// reportTokens adds up the totals of JSON reports, such as those of ccusage, and
// tokens.json.
func reportTokens(r io.Reader) (*tokens, error) {
	var sum tokens
	for decoder := json.NewDecoder(r); ; {
		var report struct{ Totals *tokens }
		switch err := decoder.Decode(&report); {
		case errors.Is(err, io.EOF):
			return &sum, nil
		case err != nil:
			return nil, fmt.Errorf("parse the report: %w", err)
		case report.Totals == nil:
			return nil, errors.New("the report has no totals")
		}
		for i, n := range report.Totals.fields() {
			*sum.fields()[i] += *n
		}
	}
}

// jqSum is the obvious script for somebody who has seen a session file: it adds up the
// usage of all lines. It skips lines that are not JSON, where jq would stop. xargs may
// run it several times.
const jqSum = `{totals: (reduce (inputs | fromjson? | objects | .message | objects | .usage | objects) as $u ({};
  .inputTokens += $u.input_tokens | .outputTokens += $u.output_tokens
  | .cacheCreationTokens += $u.cache_creation_input_tokens | .cacheReadTokens += $u.cache_read_input_tokens))}`
