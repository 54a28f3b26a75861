package main

import "slices"

// tools shows tools, MCP servers and sub-agents.
func tools() board {
	const noValue = "no tool calls"
	return board{
		name:        "tools",
		title:       "Tools",
		description: "Calls, durations, errors and result sizes of tools, MCP servers and sub-agents.",
		panels: []panel{
			{
				kind: stat, title: "Totals", unit: count, width: 24, height: 4, noValue: "–",
				description: "Tool calls, the fraction of at least ten that failed, the size of their results, and what was started outside " +
					"of the main conversation. Results without a call belong to calls that no transcript contains. Failing commands are normal; if there are more errors than usual, " +
					"see which tool fails, and why.",
				targets: []query{
					{expr: increaseOrZero(`claude_tool_calls_total`), name: "Calls"},
					{expr: fraction("", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
					{expr: increaseOrZero(`claude_tool_result_bytes_total`), name: "Result size", unit: size},
					{expr: increaseOrZero(`claude_subagents_total`), name: "Sub-agents"},
					{expr: increaseOrZero(`claude_server_tool_requests_total`), name: "Web searches and fetches"},
					{expr: increaseOrZero(`claude_tool_results_without_call_total`), name: "Results without a call"},
				},
			},
			{
				kind: table, title: "Tools", unit: count, width: 24, height: 9, noValue: noValue, labels: []string{"tool"},
				description: "Totals by tool, the fraction of errors of at least ten calls, and percentiles of durations. Many errors of one tool usually have one reason; large results make every later " +
					"request larger; a long duration may be a wait for permission.",
				targets: slices.Concat([]query{
					{expr: used("tool", `claude_tool_calls_total`), name: "Calls"},
					{expr: fraction("tool", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
				}, quantiles("", "tool", "$__range", `claude_tool_duration_seconds_bucket`, seconds), []query{
					{expr: used("tool", `claude_tool_result_bytes_total`), name: "Result size", unit: size},
				}),
			},
			{
				kind: increases, title: "Calls by tool", unit: count, width: 12, height: 9, noValue: noValue,
				description: "Calls of the ten most used tools. Long periods of search and read are work for a " +
					"sub-agent, or a reason to improve the description of the project.",
				targets: []query{{expr: topTen("tool", `claude_tool_calls_total`), name: "{{tool}}"}},
			},
			{
				kind: increases, title: "Errors by reason", unit: count, width: 12, height: 9, noValue: "no tool errors",
				description: "Errors by reason in the result. exit_code is a failed command; permission and " +
					"user_rejected ask for rules in the settings; hook is a hook that denied the call; validation and " +
					"tool_use_error are mistakes in the call.",
				targets: []query{{expr: perStep("reason", `claude_tool_errors_total`), name: "{{reason}}"}},
			},
			{
				kind: increases, title: "Errors by tool", unit: count, width: 12, height: 9, noValue: "no tool errors",
				description: "Errors of the ten tools with most errors. If one tool rises alone, it or its target has " +
					"changed; the table above has the fraction of its calls.",
				targets: []query{{expr: topTen("tool", `claude_tool_errors_total`), name: "{{tool}}"}},
			},
			{
				kind: barGauge, title: "Duration by tool", unit: seconds, width: 12, height: 9, noValue: noValue,
				description: "Total duration of calls, of the ten highest tools. It includes waiting for permission or an " +
					"answer: allow harmless calls in the settings.",
				targets: []query{{expr: `topk(10, ` + used("tool", `claude_tool_duration_seconds_sum`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: heatMap, title: "Call duration", unit: seconds, width: 12, height: 9, noValue: noValue,
				description: "Number of calls by duration. A second band at minutes is people who do not answer a permission " +
					"request.",
				targets: []query{{expr: `sum by (le) (increase(claude_tool_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: barGauge, title: "Result size by tool", unit: size, width: 12, height: 9, noValue: "no results",
				description: "Size of results, by tool. Every later request sends them again: filter large output, or have a " +
					"sub-agent read it.",
				targets: []query{{expr: `topk(10, ` + used("tool", `claude_tool_result_bytes_total`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: table, title: "MCP servers", unit: count, width: 16, height: 9, noValue: "no MCP calls", labels: []string{"mcp_server"},
				description: "Totals by MCP server, the fraction of errors of at least ten calls, and percentiles of durations. A server without calls still adds the description of its tools to every " +
					"prompt: remove servers that are not in this table.",
				targets: slices.Concat([]query{
					{expr: used("mcp_server", `claude_tool_calls_total{mcp_server!=""}`), name: "Calls"},
					{expr: fraction("mcp_server", `claude_tool_errors_total{mcp_server!=""}`, `claude_tool_calls_total{mcp_server!=""}`), name: "Errors", unit: ratio},
				}, quantiles("", "mcp_server", "$__range", `claude_tool_duration_seconds_bucket{mcp_server!=""}`, seconds), []query{
					{expr: used("mcp_server", `claude_tool_result_bytes_total{mcp_server!=""}`), name: "Result size", unit: size},
				}),
			},
			{
				kind: increases, title: "Sub-agents", unit: count, width: 8, height: 9, noValue: "no sub-agents",
				description: "Sub-agents by kind: task and workflow are requested, Claude Code starts the others " +
					"itself.",
				targets: []query{{expr: perStep("kind", `claude_subagents_total`), name: "{{kind}}"}},
			},
			{
				kind: increases, title: "Calls by agent", unit: count, width: 8, height: 9, noValue: noValue,
				description: "Calls by the main conversation and by sub-agents. Results of sub-agents do not fill the " +
					"main context.",
				targets: []query{{expr: perStep("agent", `claude_tool_calls_total`), name: "{{agent}}"}},
			},
			{
				kind: increases, title: "Permissions by who decided", unit: count, width: 8, height: 9, noValue: "none stated",
				description: "Tool calls by who or what permitted or refused them. once and session are a person who was asked: allow " +
					"what is always permitted by a rule in the settings. Since Claude Code 2.1.295.",
				targets: []query{{expr: perStep("source, decision", `claude_permission_decisions_total`), name: "{{source}}: {{decision}}"}},
			},
			{
				kind: increases, title: "Web searches and fetches", unit: count, width: 8, height: 9, noValue: "none",
				description: "Requests of tools that run on the server, and are billed separately from tokens.",
				targets:     []query{{expr: perStep("tool", `claude_server_tool_requests_total`), name: "{{tool}}"}},
			},
		},
	}
}
