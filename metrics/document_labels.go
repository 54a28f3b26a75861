package metrics

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A labelRow says what a label's values are.
type labelRow struct {
	Name   string
	Of     []string // the families of which that is true; empty for all that have the label
	Values string   // with how many there may be, if that is limited
}

// labelRows describes the labels of all families but those of
// ccwatchd_build_info.
func labelRows(o ledger.Options) []labelRow {
	rows := []labelRow{
		{Name: "model", Values: "the model, as the transcript has it; `unknown` where it does not say"},
		{Name: "project", Values: "the last element of the working directory; a worktree counts to its main checkout. The configuration can name projects otherwise, or not at all"},
		{Name: "agent", Values: "`main`; `subagent`; for what Claude Code does by itself `warmup`, `compact`, `prompt_suggestion`, `side_question`; `advisor` for another model that was asked on the way; `server_compaction` for a compaction by the server"},
		{Name: "type", Of: []string{"claude_tokens_total"}, Values: "`input`, `output`, `cache_read`, `cache_write_5m`, `cache_write_1h`"},
		{Name: "type", Of: []string{"claude_reported_tokens_total", "claude_reported_seen_tokens_total"}, Values: "`input`, `output`, `thinking` (part of `output`), `cache_read`, `cache_write`"},
		{Name: "type", Of: []string{"ccwatchd_lines_total"}, Values: "what Claude Code calls it, or `unknown`: " + code(transcript.Types)},
		{Name: "stop_reason", Values: "why the response ended, as the API says, or `none`"},
		{Name: "result", Values: "`hit`, `miss`, `uncached`"},
		{Name: "tool", Of: []string{"claude_server_tool_requests_total"}, Values: "`web_search`, `web_fetch`"},
		{Name: "tool", Values: "the tool's name, as the transcript has it; `unknown` for results without a call"},
		{Name: "mcp_server", Values: "the MCP server that the tool belongs to, empty for tools that are built in"},
		{Name: "reason", Of: []string{"claude_tool_errors_total"}, Values: code(transcript.ErrorReasons)},
		{Name: "reason", Of: []string{"ccwatchd_line_errors_total"}, Values: code(problems())},
		{Name: "reason", Of: []string{"ccwatchd_file_resets_total"}, Values: code([]string{ledger.Truncated, ledger.Replaced})},
		{Name: "reason", Of: []string{"ccwatchd_remote_write_failures_total"}, Values: "`unreachable`, `rate_limited`, `server_error`, `rejected`"},
		{Name: "name", Values: "what the configuration calls the endpoint, by default the host and port"},
		{Name: "trigger", Values: code(transcript.Triggers)},
		{Name: "error", Values: code(transcript.ErrorClasses) + ", or another that Claude Code states"},
		{Name: "status", Values: "the HTTP status; for retries also the code of what kept the request from being answered"},
		{Name: "kind", Of: []string{"claude_prompts_total"}, Values: code(transcript.PromptKinds)},
		{Name: "kind", Of: []string{"claude_subagents_total"}, Values: "`task`, `workflow`, `warmup`, `compact`, `prompt_suggestion`, `side_question`"},
		{Name: "kind", Of: []string{"ccwatchd_files"}, Values: "`session`, `subagent`"},
		{Name: "command", Values: "the slash command, if it is built in or the configuration allows it, else `custom`"},
		{Name: "operation", Values: code(transcript.QueueOperations)},
		{Name: "change", Values: "`added`, `removed`"},
		{Name: "session", Values: "the session's id; only on this gauge, and only while the session is live"},
		{Name: "kind", Of: []string{"ccwatchd_unknown_format_total"}, Values: code(transcript.UnknownKinds)},
		{Name: "kind", Of: []string{"ccwatchd_dedup_keys"}, Values: code(dedupKeyKinds())},
		{Name: "kind", Of: []string{"ccwatchd_duplicates_total"}, Values: code(ledger.DuplicateKinds)},
		{Name: "label", Values: "the name of a label with a limit; `combined` where there are too many combinations of them"},
	}
	for i := range rows {
		r := &rows[i]
		n := o.Limits[r.Name]
		switch {
		case n <= 0 || len(r.Of) > 0: // the closed lists have no limit
		case r.Name == "session":
			r.Values += fmt.Sprintf("; the newest %d", n)
		default:
			r.Values += fmt.Sprintf("; at most %d, then `%s`", n, ledger.Other)
		}
	}
	return rows
}

func problems() []string {
	var names []string
	for _, p := range transcript.Problems {
		names = append(names, string(p))
	}
	return names
}

func dedupKeyKinds() []string {
	return slices.Sorted(maps.Keys(ledger.New(ledger.Options{}, 0).DedupKeys()))
}
