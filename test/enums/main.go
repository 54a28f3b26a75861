// The program enums compares the lists of values that ccwatchd knows with the public
// declarations of Claude Code: sdk.d.ts in npm's @anthropic-ai/claude-agent-sdk. It
// prints the values that are new there, and then exits with 1. "make enums" runs it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// usageFields are the known fields of the totals of a model in cost-state entries. The
// tokens by lifetime are part of cacheCreationInputTokens; the last line is not
// counted.
var usageFields = strings.Fields(`
	inputTokens outputTokens thinkingTokens cacheReadInputTokens cacheCreationInputTokens webSearchRequests costUSD costBasis
	cacheCreationEphemeral5mInputTokens cacheCreationEphemeral1hInputTokens
	contextWindow maxOutputTokens canonicalModel provider`)

var errNew = errors.New("values that are not known")

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "enums:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("expected the path of sdk.d.ts")
	}
	text, err := os.ReadFile(args[0]) //nolint:gosec // the file is an argument
	if err != nil {
		return fmt.Errorf("read declarations: %w", err)
	}
	return compare(string(text), out)
}

// compare prints the declared values that ccwatchd does not know.
func compare(text string, out io.Writer) error {
	d := parse(text)
	var failed []error
	added := 0
	check := func(where string, known, declared []string, err error) {
		failed = append(failed, err)
		for _, value := range declared {
			if !slices.Contains(known, value) {
				added, known = added+1, append(slices.Clip(known), value)
				_, _ = fmt.Fprintf(out, "%s: %s\n", where, value)
			}
		}
	}
	values := func(where string, known []string, name, key string) {
		declared, err := d.strings(name, key)
		check(where, known, declared, err)
	}
	values("transcript.ErrorClasses", transcript.ErrorClasses, "SDKAssistantMessageError", "")
	values("transcript.HookEvents", transcript.HookEvents, "HookEvent", "")
	values("transcript.LimitWindows", transcript.LimitWindows, "SDKRateLimitInfo", "rateLimitType")
	values("transcript.CostBases", transcript.CostBases, "ModelUsage", "costBasis")
	values("transcript.PermissionModes", transcript.PermissionModes, "PermissionMode", "")
	values("transcript.Efforts", transcript.Efforts, "EffortLevel", "")
	values("transcript.Triggers", transcript.Triggers, "SDKCompactBoundaryMessage", "trigger")
	fields, err := d.members("ModelUsage")
	check("fields of modelUsage", usageFields, fields, err)
	types, subtypes, err := d.stream()
	check("transcript.Types", transcript.Types, types, err)
	check("transcript.Subtypes", transcript.Subtypes, subtypes, nil)
	if added > 0 {
		failed = append(failed, fmt.Errorf("%w: %d", errNew, added))
	}
	return errors.Join(failed...)
}
