package main

// tools is what Claude does besides talking: its tools, MCP servers and
// sub-agents.
func tools() board {
	const none = "no tool calls in this time"
	return board{
		name:  "tools",
		title: "Tools",
		about: "What tools, MCP servers and sub-agents do: how often, how long, how well, and what they put into the context.",
		panels: []panel{
			{
				kind: numbers, title: "In the chosen time", unit: count, width: 24, tall: 4, none: "none",
				about: "Calls of tools, the share of them that ended in an error, what their results put into the context, and what was started beside the main " +
					"conversation. Commands that fail are a part of the work; more errors than in other weeks are not: see which tool, and why.",
				ask: []query{
					{expr: counted(`claude_tool_calls_total`), name: "Calls"},
					{expr: share("", "$__range", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
					{expr: counted(`claude_tool_result_bytes_total`), name: "Into the context", unit: size},
					{expr: counted(`claude_subagents_total`), name: "Sub-agents"},
					{expr: counted(`claude_server_tool_requests_total`), name: "Web searches and fetches"},
				},
			},
			{
				kind: list, title: "Tools", unit: count, width: 24, tall: 9, none: none, rows: []string{"tool"},
				about: "Every tool in the chosen time. Many errors of one tool mostly have one reason; a tool that puts much into the context makes every later request larger; " +
					"a long duration may be a wait for a permission.",
				ask: []query{
					{expr: grown("tool", `claude_tool_calls_total`) + ` > 0`, name: "Calls"},
					{expr: share("tool", "$__range", `claude_tool_errors_total`, `claude_tool_calls_total`), name: "Errors", unit: ratio},
					{expr: quantile("0.5", "tool", "$__range", `claude_tool_duration_seconds_bucket`), name: "Half take up to", unit: seconds},
					{expr: quantile("0.95", "tool", "$__range", `claude_tool_duration_seconds_bucket`), name: "19 of 20", unit: seconds},
					{expr: grown("tool", `claude_tool_result_bytes_total`) + ` > 0`, name: "Into the context", unit: size},
				},
			},
			{
				kind: stacked, title: "Calls of the ten most used", unit: perHour, width: 12, tall: 8, none: none,
				about: "Calls an hour of the tools that were called most in the chosen time. Long stretches of search and read are work for a sub-agent, or for a better description of the project.",
				ask:   []query{{expr: largest("tool", 3600, `claude_tool_calls_total`), name: "{{tool}}"}},
			},
			{
				kind: events, title: "Errors by reason", unit: perHour, width: 12, tall: 8, none: "no tool failed in this time",
				about: "Errors an hour by what the result says. exit_code is a command that failed; permission and user_rejected ask for rules in the settings; validation and " +
					"tool_use_error are mistakes in the call.",
				ask: []query{{expr: `3600 * ` + total("rate", "reason", "$__rate_interval", `claude_tool_errors_total`), name: "{{reason}}"}},
			},
			{
				kind: events, title: "Errors by tool", unit: perHour, width: 12, tall: 8, none: "no tool failed in this time",
				about: "Errors an hour of the ten tools that had most. One that rises alone has changed, or what it works on has; how many of its calls that is says the list above.",
				ask:   []query{{expr: largest("tool", 3600, `claude_tool_errors_total`), name: "{{tool}}"}},
			},
			{
				kind: bars, title: "Time in tools", unit: seconds, width: 12, tall: 8, none: none,
				about: "How long all calls in the chosen time took together, of the ten tools that took most. It includes waiting for a permission or an answer: allow what is harmless.",
				ask:   []query{{expr: `topk(10, ` + grown("tool", `claude_tool_duration_seconds_sum`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: heat, title: "Durations", unit: seconds, width: 12, tall: 8, none: none,
				about: "How many calls took how long. A second band in the minutes is people who are asked for a permission and are not there.",
				ask:   []query{{expr: `sum by (le) (increase(claude_tool_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: bars, title: "Bytes into the context", unit: size, width: 12, tall: 8, none: "no results in this time",
				about: "What results put into the context in the chosen time, by tool. It is sent again with every later request: have large output filtered, or read by a sub-agent.",
				ask:   []query{{expr: `topk(10, ` + grown("tool", `claude_tool_result_bytes_total`) + `)`, name: "{{tool}}"}},
			},
			{
				kind: list, title: "MCP servers", unit: count, width: 12, tall: 8, none: "no MCP server was called in this time", rows: []string{"mcp_server"},
				about: "Every MCP server that was called. One that is never called still puts the description of its tools into every prompt: remove those that are not in this list.",
				ask: []query{
					{expr: grown("mcp_server", `claude_tool_calls_total{mcp_server!=""}`) + ` > 0`, name: "Calls"},
					{expr: share("mcp_server", "$__range", `claude_tool_errors_total{mcp_server!=""}`, `claude_tool_calls_total{mcp_server!=""}`), name: "Errors", unit: ratio},
					{expr: quantile("0.95", "mcp_server", "$__range", `claude_tool_duration_seconds_bucket{mcp_server!=""}`), name: "19 of 20", unit: seconds},
					{expr: grown("mcp_server", `claude_tool_result_bytes_total{mcp_server!=""}`), name: "Into the context", unit: size},
				},
			},
			{
				kind: events, title: "Sub-agents", unit: perHour, width: 12, tall: 8, none: "no sub-agent was started in this time",
				about: "Sub-agents an hour by what they are for: task and workflow are asked for, the others Claude Code starts by itself.",
				ask:   []query{{expr: `3600 * ` + total("rate", "kind", "$__rate_interval", `claude_subagents_total`), name: "{{kind}}"}},
			},
			{
				kind: stacked, title: "Calls by agent", unit: perHour, width: 12, tall: 8, none: none,
				about: "Calls an hour, by the main conversation and by what it starts. What sub-agents read does not fill the main context.",
				ask:   []query{{expr: `3600 * ` + total("rate", "agent", "$__rate_interval", `claude_tool_calls_total`), name: "{{agent}}"}},
			},
			{
				kind: events, title: "Web searches and fetches", unit: perHour, width: 12, tall: 8, none: "none in this time",
				about: "Requests an hour of tools that run on the server; they are paid for apart from tokens.",
				ask:   []query{{expr: `3600 * ` + total("rate", "tool", "$__rate_interval", `claude_server_tool_requests_total`), name: "{{tool}}"}},
			},
		},
	}
}
