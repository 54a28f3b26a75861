package main

import "slices"

// tools shows tools, MCP servers and sub-agents.
func tools() board {
	const none = "no tool calls"
	return board{
		name:  "tools",
		title: "Tools",
		about: "Calls, durations, errors and result sizes of tools, MCP servers and sub-agents.",
		panels: []panel{
			{
				kind: numbers, title: "Totals", unit: count, width: 24, tall: 4, none: "none",
				about: "Tool calls, the fraction of at least ten that failed, the size of their results, and what was started outside " +
					"of the main conversation. Results without a call belong to calls that no transcript contains. Failing commands are normal; if there are more errors than usual, " +
					"see which tool fails, and why.",
				ask: []query{
					{expr: increaseOrZero(`claude_tool_calls_total`), name: "Calls"},
					{expr: fraction("", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
					{expr: increaseOrZero(`claude_tool_result_bytes_total`), name: "Result size", unit: size},
					{expr: increaseOrZero(`claude_subagents_total`), name: "Sub-agents"},
					{expr: increaseOrZero(`claude_server_tool_requests_total`), name: "Web searches and fetches"},
					{expr: increaseOrZero(`claude_tool_results_without_call_total`), name: "Results without a call"},
				},
			},
			{
				kind: list, title: "Tools", unit: count, width: 24, tall: 9, none: none, rows: []string{"tool"},
				about: "Totals by tool, the fraction of errors of at least ten calls, and percentiles of durations. Many errors of one tool usually have one reason; large results make every later " +
					"request larger; a long duration may be a wait for permission.",
				ask: slices.Concat([]query{
					{expr: increase("tool", `claude_tool_calls_total`) + ` > 0`, name: "Calls"},
					{expr: fraction("tool", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
				}, quantiles("", "tool", "$__range", `claude_tool_duration_seconds_bucket`, seconds), []query{
					{expr: increase("tool", `claude_tool_result_bytes_total`) + ` > 0`, name: "Result size", unit: size},
				}),
			},
			{
				kind: stacked, title: "Calls by tool (top 10)", unit: perHour, width: 12, tall: 9, none: none,
				about: "Calls per hour of the ten most used tools. Long periods of search and read are work for a " +
					"sub-agent, or a reason to improve the description of the project.",
				ask: []query{{expr: topRates("tool", 3600, `claude_tool_calls_total`), name: "{{tool}}"}},
			},
			{
				kind: events, title: "Errors by reason", unit: perHour, width: 12, tall: 9, none: "no tool errors",
				about: "Errors per hour by reason in the result. exit_code is a failed command; permission and " +
					"user_rejected ask for rules in the settings; validation and tool_use_error are mistakes in the " +
					"call.",
				ask: []query{{expr: `3600 * ` + total("rate", "reason", "$__rate_interval", `claude_tool_errors_total`), name: "{{reason}}"}},
			},
			{
				kind: events, title: "Errors by tool", unit: perHour, width: 12, tall: 9, none: "no tool errors",
				about: "Errors per hour of the ten tools with most errors. If one tool rises alone, it or its target has " +
					"changed; the table above has the fraction of its calls.",
				ask: []query{{expr: topRates("tool", 3600, `claude_tool_errors_total`), name: "{{tool}}"}},
			},
			{
				kind: bars, title: "Duration by tool", unit: seconds, width: 12, tall: 9, none: none,
				about: "Total duration of calls, of the ten highest tools. It includes waiting for permission or an " +
					"answer: allow harmless calls in the settings.",
				ask: []query{{expr: `topk(10, ` + increase("tool", `claude_tool_duration_seconds_sum`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: heat, title: "Call duration", unit: seconds, width: 12, tall: 9, none: none,
				about: "Number of calls by duration. A second band at minutes is people who do not answer a permission " +
					"request.",
				ask: []query{{expr: `sum by (le) (increase(claude_tool_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: bars, title: "Result size by tool", unit: size, width: 12, tall: 9, none: "no results",
				about: "Size of results, by tool. Every later request sends them again: filter large output, or have a " +
					"sub-agent read it.",
				ask: []query{{expr: `topk(10, ` + increase("tool", `claude_tool_result_bytes_total`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: list, title: "MCP servers", unit: count, width: 16, tall: 9, none: "no MCP calls", rows: []string{"mcp_server"},
				about: "Totals by MCP server, the fraction of errors of at least ten calls, and percentiles of durations. A server without calls still adds the description of its tools to every " +
					"prompt: remove servers that are not in this table.",
				ask: slices.Concat([]query{
					{expr: increase("mcp_server", `claude_tool_calls_total{mcp_server!=""}`) + ` > 0`, name: "Calls"},
					{expr: fraction("mcp_server", `claude_tool_errors_total{mcp_server!=""}`, `claude_tool_calls_total{mcp_server!=""}`), name: "Errors", unit: ratio},
				}, quantiles("", "mcp_server", "$__range", `claude_tool_duration_seconds_bucket{mcp_server!=""}`, seconds), []query{
					{expr: increase("mcp_server", `claude_tool_result_bytes_total{mcp_server!=""}`), name: "Result size", unit: size},
				}),
			},
			{
				kind: events, title: "Sub-agents", unit: perHour, width: 8, tall: 9, none: "no sub-agents",
				about: "Sub-agents per hour by kind: task and workflow are requested, Claude Code starts the others " +
					"itself.",
				ask: []query{{expr: `3600 * ` + total("rate", "kind", "$__rate_interval", `claude_subagents_total`), name: "{{kind}}"}},
			},
			{
				kind: stacked, title: "Calls by agent", unit: perHour, width: 12, tall: 9, none: none,
				about: "Calls per hour by the main conversation and by sub-agents. Results of sub-agents do not fill the " +
					"main context.",
				ask: []query{{expr: `3600 * ` + total("rate", "agent", "$__rate_interval", `claude_tool_calls_total`), name: "{{agent}}"}},
			},
			{
				kind: events, title: "Web searches and fetches", unit: perHour, width: 12, tall: 9, none: "none",
				about: "Requests per hour of tools that run on the server, and are billed separately from tokens.",
				ask:   []query{{expr: `3600 * ` + total("rate", "tool", "$__rate_interval", `claude_server_tool_requests_total`), name: "{{tool}}"}},
			},
		},
	}
}
