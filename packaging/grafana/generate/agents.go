package main

import "slices"

// agents shows what sub-agents, skills, plugins, MCP servers and hooks do and cost.
func agents() board {
	const (
		noValue    = "no sub-agents"
		runs       = `claude_subagent_runs_total`
		incomplete = `claude_subagent_runs_total{outcome!="completed"}`
		agentCost  = `claude_subagent_cost_usd_total`
		hooks      = `claude_hook_runs_total`
		blocked    = `claude_hook_runs_total{outcome="blocking"}`
	)
	return board{
		name:        "agents",
		title:       "Agents",
		description: "Cost, tokens, runs and durations of sub-agents by type, what skills, plugins and MCP servers use, and hooks.",
		panels: []panel{
			{
				kind: stat, title: "Totals", unit: count, width: 24, height: 4, noValue: "–",
				description: estimate + "Cost and runs of sub-agents, the fraction of at least ten that did not complete, " +
					"calls of skills, and runs of hooks with the fraction of at least ten that blocked something.",
				targets: []query{
					{expr: total("increase", "", "$__range", agentCost), name: "Cost", unit: usd},
					{expr: increaseOrZero(runs), name: "Runs"},
					{expr: fraction("", incomplete, runs), name: "Not completed", unit: ratio},
					{expr: increaseOrZero(`claude_skill_calls_total`), name: "Skill calls"},
					{expr: increaseOrZero(hooks), name: "Hook runs"},
					{expr: fraction("", blocked, hooks), name: "Blocking hooks", unit: ratio},
				},
			},
			{
				kind: table, title: "Sub-agents", unit: count, width: 24, height: 9, noValue: noValue, labels: []string{"type"},
				description: estimate + "Totals by type, the fraction of runs that did not complete, and percentiles of " +
					"durations. Types of your own are custom unless the configuration allows their names. Tokens of all kinds " +
					"are added up; most are cache reads.",
				targets: slices.Concat([]query{
					{expr: positive(total("increase", "type", "$__range", agentCost)), name: "Cost", unit: usd},
					{expr: used("type", runs), name: "Runs"},
					{expr: anyFraction("type", incomplete, runs), name: "Not completed", unit: ratio},
					{expr: used("type", `claude_subagent_requests_total`), name: "Requests"},
					{expr: used("type", `claude_subagent_tool_calls_total`), name: "Tool calls"},
					{expr: used("type", `claude_subagent_tokens_total`), name: "Tokens", unit: tokens},
				}, quantiles("Duration ", "type", "$__range", `claude_subagent_duration_seconds_bucket`, seconds)),
			},
			{
				kind: increases, title: "Cost by type", unit: usd, width: 8, height: 9, noValue: noValue,
				description: estimate + "Cost of sub-agents by type. If a type is used all the time, try a smaller model for it.",
				targets:     []query{{expr: topTen("type", agentCost), name: "{{type}}"}},
			},
			{
				kind: increases, title: "Tokens by type", unit: tokens, width: 8, height: 9, noValue: noValue,
				description: "Tokens of sub-agents by type, of all kinds together, most of them cache reads. Tokens without " +
					"runs are those of a run that has not ended.",
				targets: []query{{expr: topTen("type", `claude_subagent_tokens_total`), name: "{{type}}"}},
			},
			{
				kind: increases, title: "Tool calls by type", unit: count, width: 8, height: 9, noValue: "no tool calls of sub-agents",
				description: "Tool calls of sub-agents by type. Their results do not fill the main context.",
				targets:     []query{{expr: topTen("type", `claude_subagent_tool_calls_total`), name: "{{type}}"}},
			},
			{
				kind: increases, title: "Runs by outcome", unit: count, width: 8, height: 9, noValue: noValue,
				colors: colorMap{"completed": "green", "failed": "red", "interrupted": "orange", "unfinished": "yellow"},
				description: "Runs by outcome: completed has an answer, interrupted was stopped, failed ended with an error of " +
					"the API, unfinished has no answer and was not continued.",
				targets: []query{{expr: perStep("outcome", runs), name: "{{outcome}}"}},
			},
			{
				kind: heatMap, title: "Run duration", unit: seconds, width: 8, height: 9, noValue: noValue,
				description: "Number of runs by duration. Very short ones are often failures, or work that needs no sub-agent.",
				targets:     []query{{expr: `sum by (le) (increase(claude_subagent_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: barGauge, title: "Cost per run", unit: usd, width: 8, height: 9, noValue: "too few runs",
				description: estimate + "Cost divided by runs that ended. If search is expensive, use a smaller model for it.",
				targets: []query{{
					expr: `topk(10, ` + total("increase", "type", "$__range", agentCost) + ` / (` + total("increase", "type", "$__range", runs) + ` > 0))`,
					name: "{{type}}",
				}},
			},
		},
		rows: []row{
			{
				title: `Skills, plugins and MCP servers: install them with /plugin and "claude mcp add", see docs/metrics.md`, collapsed: true,
				panels: []panel{
					{
						kind: table, title: "Skills", unit: count, width: 12, height: 7, noValue: "no skills", labels: []string{"skill"},
						description: estimate + "Cost, requests and tokens that Claude Code attributes to skills, and their calls. Skills of " +
							"your own are custom unless the configuration allows their names.",
						targets: append(attributed("skill"), query{expr: used("skill", `claude_skill_calls_total`), name: "Calls"}),
					},
					{
						kind: table, title: "Plugins", unit: count, width: 12, height: 7, noValue: "no plugins", labels: []string{"plugin"},
						description: estimate + "Cost, requests and tokens that Claude Code attributes to a plugin. Remove plugins that cost more " +
							"than they help.",
						targets: attributed("plugin"),
					},
					{
						kind: table, title: "MCP servers", unit: count, width: 24, height: 7, noValue: "no MCP servers", labels: []string{"mcp_server"},
						description: estimate + "Cost, requests and tokens that Claude Code attributes to an MCP server. The Tools dashboard has the " +
							"calls and errors of each.",
						targets: attributed("mcp_server"),
					},
				},
			},
			{
				title: "Hooks: commands that Claude Code runs, configured in its settings, see docs/metrics.md", collapsed: true,
				panels: []panel{
					{
						kind: table, title: "Hooks", unit: count, width: 12, height: 9, noValue: "no hooks", labels: []string{"event"},
						description: "Runs of hooks by event, the fractions that failed or blocked something, and percentiles of " +
							"durations. Claude waits for them: a slow hook slows down everything.",
						targets: slices.Concat([]query{
							{expr: used("event", hooks), name: "Runs"},
							{expr: anyFraction("event", `claude_hook_runs_total{outcome="error"}`, hooks), name: "Errors", unit: ratio},
							{expr: anyFraction("event", blocked, hooks), name: "Blocking", unit: ratio},
						}, quantiles("", "event", "$__range", `claude_hook_duration_seconds_bucket`, seconds)),
					},
					{
						kind: increases, title: "Hook runs by outcome", unit: count, width: 12, height: 9, noValue: "no hooks",
						colors: colorMap{"success": "green", "error": "orange", "blocking": "red", "cancelled": "yellow"},
						description: "Runs of hooks by outcome. blocking stopped what Claude was about to do; an error did not. If one " +
							"hook blocks again and again, Claude and the hook disagree: change one of them.",
						targets: []query{{expr: perStep("outcome", hooks), name: "{{outcome}}"}},
					},
				},
			},
		},
	}
}

// attributed are queries for the usage that Claude Code attributes to the values of a
// label.
func attributed(by string) []query {
	of := func(family string) string { return family + `{` + by + `!=""}` }
	return []query{
		{expr: positive(total("increase", by, "$__range", of(`claude_attributed_cost_usd_total`))), name: "Cost", unit: usd},
		{expr: used(by, of(`claude_attributed_requests_total`)), name: "Requests"},
		{expr: used(by, of(`claude_attributed_tokens_total`)), name: "Tokens", unit: tokens},
	}
}
