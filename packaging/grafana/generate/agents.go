package main

import "slices"

// agents shows what sub-agents, skills, plugins, MCP servers and hooks do and cost.
func agents() board {
	const (
		none       = "no sub-agents"
		runs       = `claude_subagent_runs_total`
		incomplete = `claude_subagent_runs_total{outcome!="completed"}`
		agentCost  = `claude_subagent_cost_usd_total`
		hooks      = `claude_hook_runs_total`
		blocked    = `claude_hook_runs_total{outcome="blocking"}`
	)
	return board{
		name:  "agents",
		title: "Agents",
		about: "Cost, tokens, runs and durations of sub-agents by type, what skills, plugins and MCP servers use, and hooks.",
		panels: []panel{
			{
				kind: numbers, title: "Totals", unit: count, width: 24, tall: 4, none: "none",
				about: estimate + "Cost and runs of sub-agents, the fraction of at least ten that did not complete, " +
					"calls of skills, and runs of hooks with the fraction of at least ten that blocked something.",
				ask: []query{
					{expr: total("increase", "", "$__range", agentCost), name: "Cost (list price)", unit: usd},
					{expr: increaseOrZero(runs), name: "Runs"},
					{expr: fraction("", incomplete, runs), name: "Not completed", unit: ratio},
					{expr: increaseOrZero(`claude_skill_calls_total`), name: "Skill calls"},
					{expr: increaseOrZero(hooks), name: "Hook runs"},
					{expr: fraction("", blocked, hooks), name: "Blocking hooks", unit: ratio},
				},
			},
			{
				kind: list, title: "Sub-agents", unit: count, width: 24, tall: 9, none: none, rows: []string{"type"},
				about: estimate + "Totals by type, the fraction of runs that did not complete, and percentiles of " +
					"durations. Types of your own are custom unless the configuration allows their names. Tokens of all kinds " +
					"are added up; most are cache reads.",
				ask: slices.Concat([]query{
					{expr: total("increase", "type", "$__range", agentCost) + ` > 0`, name: "Cost", unit: usd},
					{expr: increase("type", runs) + ` > 0`, name: "Runs"},
					{expr: anyFraction("type", incomplete, runs), name: "Not completed", unit: ratio},
					{expr: increase("type", `claude_subagent_requests_total`) + ` > 0`, name: "Requests"},
					{expr: increase("type", `claude_subagent_tool_calls_total`) + ` > 0`, name: "Tool calls"},
					{expr: increase("type", `claude_subagent_tokens_total`) + ` > 0`, name: "Tokens", unit: tokens},
				}, quantiles("Duration ", "type", "$__range", `claude_subagent_duration_seconds_bucket`, seconds)),
			},
			{
				kind: stacked, title: "Cost per hour by type", unit: usd, width: 8, tall: 9, none: none,
				about: estimate + "Dollars per hour of sub-agents by type. If a type is used all the time, try a smaller model for it.",
				ask:   []query{{expr: topRates("type", 3600, agentCost), name: "{{type}}"}},
			},
			{
				kind: stacked, title: "Tokens by type", unit: tokensMin, width: 8, tall: 9, none: none,
				about: "Tokens per minute of sub-agents by type, of all kinds together, most of them cache reads. Tokens without " +
					"runs are those of a run that has not ended.",
				ask: []query{{expr: topRates("type", 60, `claude_subagent_tokens_total`), name: "{{type}}"}},
			},
			{
				kind: stacked, title: "Tool calls by type", unit: perHour, width: 8, tall: 9, none: "no tool calls of sub-agents",
				about: "Tool calls of sub-agents per hour by type. Their results do not fill the main context.",
				ask:   []query{{expr: topRates("type", 3600, `claude_subagent_tool_calls_total`), name: "{{type}}"}},
			},
			{
				kind: events, title: "Runs by outcome", unit: perHour, width: 8, tall: 9, none: none,
				paint: colors{"completed": "green", "failed": "red", "interrupted": "orange", "unfinished": "yellow"},
				about: "Runs per hour by outcome: completed has an answer, interrupted was stopped, failed ended with an error of " +
					"the API, unfinished has no answer and was not continued.",
				ask: []query{{expr: `3600 * ` + total("rate", "outcome", "$__rate_interval", runs), name: "{{outcome}}"}},
			},
			{
				kind: heat, title: "Run duration", unit: seconds, width: 8, tall: 9, none: none,
				about: "Number of runs by duration. Very short ones are often failures, or work that needs no sub-agent.",
				ask:   []query{{expr: `sum by (le) (increase(claude_subagent_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: bars, title: "Cost per run", unit: usd, width: 8, tall: 9, none: "too few runs",
				about: estimate + "Cost divided by runs that ended. If search is expensive, use a smaller model for it.",
				ask: []query{{
					expr: `topk(10, ` + total("increase", "type", "$__range", agentCost) + ` / (` + total("increase", "type", "$__range", runs) + ` > 0))`,
					name: "{{type}}",
				}},
			},
			{
				kind: list, title: "Skills", unit: count, width: 12, tall: 7, none: "no skills", rows: []string{"skill"},
				about: estimate + "Cost, requests and tokens that Claude Code attributes to skills, and their calls. Skills of " +
					"your own are custom unless the configuration allows their names.",
				ask: append(attributed("skill"), query{expr: increase("skill", `claude_skill_calls_total`) + ` > 0`, name: "Calls"}),
			},
			{
				kind: list, title: "Plugins", unit: count, width: 12, tall: 7, none: "no plugins", rows: []string{"plugin"},
				about: estimate + "Cost, requests and tokens that Claude Code attributes to a plugin. Remove plugins that cost more " +
					"than they help.",
				ask: attributed("plugin"),
			},
			{
				kind: list, title: "MCP servers", unit: count, width: 12, tall: 8, none: "no MCP servers", rows: []string{"mcp_server"},
				about: estimate + "Cost, requests and tokens that Claude Code attributes to an MCP server. The Tools dashboard has the " +
					"calls and errors of each.",
				ask: attributed("mcp_server"),
			},
			{
				kind: list, title: "Hooks", unit: count, width: 12, tall: 8, none: "no hooks", rows: []string{"event"},
				about: "Runs of hooks by event, the fractions that failed or blocked something, and percentiles of " +
					"durations. Claude waits for them: a slow hook slows down everything.",
				ask: slices.Concat([]query{
					{expr: increase("event", hooks), name: "Runs"},
					{expr: anyFraction("event", `claude_hook_runs_total{outcome="error"}`, hooks), name: "Errors", unit: ratio},
					{expr: anyFraction("event", blocked, hooks), name: "Blocking", unit: ratio},
				}, quantiles("", "event", "$__range", `claude_hook_duration_seconds_bucket`, seconds)),
			},
			{
				kind: events, title: "Hook runs by outcome", unit: perHour, width: 24, tall: 7, none: "no hooks",
				paint: colors{"success": "green", "error": "orange", "blocking": "red", "cancelled": "yellow"},
				about: "Runs of hooks per hour by outcome. blocking stopped what Claude was about to do; an error did not. If one " +
					"hook blocks again and again, Claude and the hook disagree: change one of them.",
				ask: []query{{expr: `3600 * ` + total("rate", "outcome", "$__rate_interval", hooks), name: "{{outcome}}"}},
			},
		},
	}
}

// attributed are queries for what Claude Code attributes to the values of a label.
func attributed(by string) []query {
	of := func(family string) string { return family + `{` + by + `!=""}` }
	return []query{
		{expr: total("increase", by, "$__range", of(`claude_attributed_cost_usd_total`)) + ` > 0`, name: "Cost", unit: usd},
		{expr: increase(by, of(`claude_attributed_requests_total`)) + ` > 0`, name: "Requests"},
		{expr: increase(by, of(`claude_attributed_tokens_total`)) + ` > 0`, name: "Tokens", unit: tokens},
	}
}
