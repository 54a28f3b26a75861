package metrics

import (
	"fmt"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A labelRow describes the values of a label.
type labelRow struct {
	Name     string
	Families []string // empty: all families with the label that no other row covers
	Values   string   // including the limit, if there is one
}

// labelRows describes the labels of all families except ccwatchd_build_info.
func labelRows(o ledger.Options) []labelRow {
	rows := []labelRow{
		{Name: "model", Values: "as the transcript states it, without room [its name in the price list](configuration.md#how-many-values-a-label-has); else `unknown`"},
		{Name: "project", Values: "[the name of the project](configuration.md#projects)"},
		{Name: "agent", Values: "`main`; `subagent`; `warmup`, `compact`, `prompt_suggestion`, `side_question` by Claude Code itself; `advisor`, a second model within a request; `server_compaction`"},
		{Name: "type", Families: []string{"claude_tokens_total", "claude_entrypoint_tokens_total"}, Values: "`input`, `output`, `cache_read`, `cache_write_5m`, `cache_write_1h`"},
		{Name: "type", Families: []string{"claude_reported_tokens_total", "claude_reported_seen_tokens_total"}, Values: "`input`, `output`, `thinking` (part of `output`), `cache_read`, `cache_write`"},
		{Name: "type", Families: []string{"ccwatchd_lines_total"}, Values: "the type that Claude Code writes, such as `assistant`; `unknown` to this version"},
		{Name: "type", Families: subagentTypes, Values: fmt.Sprintf("the type of the sub-agent, or `custom`; `unknown` if not stated; of runs also `warmup`, `compact`, `prompt_suggestion`, `side_question`; at most %d", o.Limits["agent_type"])},
		{Name: "outcome", Families: []string{"claude_subagent_runs_total"}, Values: code(ledger.RunOutcomes)},
		{Name: "skill", Values: "the skill, or `custom`"},
		{Name: "plugin", Values: "the plugin, or `custom`"},
		{Name: "mcp_server", Families: []string{"claude_attributed_requests_total", "claude_attributed_tokens_total", "claude_attributed_cost_usd_total"}, Values: "the MCP server, such as `plugin:tools:db`"},
		{Name: "basis", Values: code(transcript.CostBases)},
		{Name: "component", Values: "`input`, `output`, `cache_read`, `cache_write_5m`, `cache_write_1h`, `web_search`"},
		{Name: "updated", Values: "the date of the built-in prices"},
		{Name: "source", Families: []string{"claude_permission_decisions_total"}, Values: "`rule`; `mode`, the permission mode; `once` and `session`, a person who was asked, for one call or for more; `hook`; `other`"},
		{Name: "source", Values: code([]string{"built-in", "overlay"})},
		{Name: "decision", Values: code(transcript.PermissionDecisions)},
		{Name: "permission_mode", Values: code(transcript.PermissionModes)},
		{Name: "effort", Values: code(transcript.Efforts)},
		{Name: "service_tier", Values: code(transcript.ServiceTiers)},
		{Name: "speed", Values: code(transcript.Speeds)},
		{Name: "entrypoint", Values: code(transcript.Entrypoints)},
		{Name: "version_range", Values: code(ledger.VersionRanges) + "; `2.1.0-2.1.8`, `2.1.9-2.1.29` and `2.1.97+` only on what earlier versions of ccwatchd counted"},
		{Name: "version", Values: "of Claude Code, such as `2.1.232`; the newest eight for each source"},
		{Name: "stop_reason", Values: "as the API states it, or `none`"},
		{Name: "result", Families: []string{"ccwatchd_remote_write_history_samples_total"}, Values: "`sent`, `refused`"},
		{Name: "result", Values: "`hit`, `partial`, `miss`, `uncached`"},
		{Name: "tool", Families: []string{"claude_server_tool_requests_total"}, Values: "`web_search`, `web_fetch`"},
		{Name: "tool", Values: "the tool; `unknown` for results without a call"},
		{Name: "mcp_server", Values: "the MCP server of the tool; empty for built-in tools"},
		{Name: "reason", Families: []string{"claude_tool_errors_total"}, Values: code(transcript.ErrorReasons)},
		{Name: "reason", Families: []string{"claude_cache_misses_total", "claude_cache_rewritten_tokens_total", "claude_cache_rewritten_cost_usd_total"}, Values: code(ledger.MissReasons)},
		{Name: "reason", Families: []string{"ccwatchd_line_errors_total"}, Values: code(problems())},
		{Name: "reason", Families: []string{"ccwatchd_file_resets_total"}, Values: code(ledger.ResetReasons)},
		{Name: "reason", Families: []string{"ccwatchd_replaced_times_total"}, Values: "`missing` (only of prompts and answers), `future`, `before_2020`"},
		{Name: "reason", Families: []string{"ccwatchd_skipped_links"}, Values: "`dangling`, `file`, `loop`, `nested`, `owner`: see [operations.md](operations.md#links)"},
		{Name: "reason", Families: []string{"ccwatchd_remote_write_failures_total"}, Values: "`unreachable`, `rate_limited`, `server_error`, `rejected`"},
		{Name: "remote_name", Values: "the name of the endpoint, by default its host and port"},
		{Name: "trigger", Values: code(transcript.Triggers)},
		{Name: "error", Values: code(transcript.ErrorClasses) + ", or another class"},
		{Name: "status", Values: "the HTTP status; empty if not stated; for retries without a response the error code; `timeout`"},
		{Name: "kind", Families: []string{"claude_prompts_total"}, Values: code(transcript.PromptKinds)},
		{Name: "kind", Families: []string{"claude_subagents_total"}, Values: code(transcript.AgentKinds)},
		{Name: "kind", Families: []string{"ccwatchd_files"}, Values: "`session`, `subagent`"},
		{Name: "window", Families: []string{"claude_limit_used_ratio", "claude_limit_reset_timestamp_seconds"}, Values: fmt.Sprintf("`five_hour`, `seven_day`, `seven_day_opus`, `seven_day_sonnet`, `spend_limit` and others; at most %d", limits.MaxWindows)},
		{Name: "window", Values: code(transcript.LimitWindows) + ", or another one; `unknown` if not named"},
		{Name: "command", Values: "the slash command, or `custom`"},
		{Name: "operation", Families: []string{"claude_queue_operations_total"}, Values: code(transcript.QueueOperations)},
		{Name: "operation", Families: []string{"claude_files_touched_total"}, Values: code(transcript.FileOperations)},
		{Name: "event", Values: "the event as Claude Code names it, such as `PreToolUse`; `other` if unknown to this version"},
		{Name: "outcome", Families: []string{"claude_hook_runs_total"}, Values: "`success`; `error`; `blocking`, which stops what the hook ran for; `cancelled`"},
		{Name: "kind", Families: []string{"claude_background_tasks_total"}, Values: code(transcript.BackgroundKinds)},
		{Name: "change", Values: "`added`, `removed`"},
		{Name: "session", Values: "the id of a live session"},
		{Name: "kind", Families: []string{"ccwatchd_unknown_format_total"}, Values: code(transcript.UnknownKinds)},
		{Name: "kind", Families: []string{"ccwatchd_dedup_keys", "ccwatchd_duplicates_total"}, Values: "what is remembered or repeated, such as `message`, `tool_call` or `prompt`"},
		{Name: "label", Values: "the label over its limit; `combined`: a family over its limit of combinations"},
	}
	for i := range rows {
		r := &rows[i]
		n := o.Limits[r.Name]
		switch {
		case n <= 0 || len(r.Families) > 0: // closed lists have no limit
		case r.Name == "session":
			r.Values += fmt.Sprintf("; the newest %d", n)
		default:
			r.Values += fmt.Sprintf("; at most %d", n)
		}
	}
	return rows
}

// subagentTypes are the families by type of sub-agent.
var subagentTypes = []string{
	"claude_subagent_runs_total", "claude_subagent_duration_seconds", "claude_subagent_tool_calls_total",
	"claude_subagent_requests_total", "claude_subagent_tokens_total", "claude_subagent_cost_usd_total",
}

func problems() []string {
	var names []string
	for _, p := range transcript.Problems {
		names = append(names, string(p))
	}
	return names
}
