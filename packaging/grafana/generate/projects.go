package main

// projects compares all projects, and shows each alone.
func projects() board {
	const none = "no data"
	return board{
		name:  projectsName,
		title: "Projects",
		about: "Usage and results by project. Select a project above, or by its name in the table, to see it alone.",
		panels: []panel{
			{
				kind: list, title: "Projects", unit: count, width: 24, tall: 9, none: none, rows: []string{"project"},
				about: "Totals by project. The cost is a list-price estimate, not the bill of a subscription. Much input for few prompts and few changed lines is worth a look: long " +
					"contexts, or agents that search. The name links to the project alone.",
				ask: []query{
					{expr: total("increase", "project", "$__range", costUSD), name: "Cost", unit: usd},
					{expr: increase("project", output), name: "Output", unit: tokens},
					{expr: increase("project", freshInput), name: "Fresh input", unit: tokens},
					{expr: increase("project", cachedInput), name: "Cached input", unit: tokens},
					{expr: hitRatio("project", "$__range"), name: "Cache hits", unit: ratio},
					{expr: increase("project", `claude_sessions_total`), name: "Sessions"},
					{expr: increase("project", `claude_prompts_total`), name: "Prompts"},
					{expr: increase("project", turns), name: "Turns"},
					{expr: increase("project", `claude_lines_changed_total`), name: "Lines"},
					{expr: increase("project", `claude_commits_total`), name: "Commits"},
					{expr: `1000 * max by (project) (claude_last_activity_timestamp_seconds)`, name: "Last activity", unit: ago, width: 150},
				},
			},
			{
				kind: stacked, title: "Cost per hour by project (top 10)", unit: usd, width: 12, tall: 9, none: none,
				about: estimate + "Dollars per hour of the ten most expensive projects. A step that lasts is a session that " +
					"was left running.",
				ask: []query{{expr: topRates("project", 3600, costUSD), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Cost per hour by model", unit: usd, width: 12, tall: 9, none: none,
				about: estimate + "Dollars per hour by model, of the selected projects. Check for each project whether it " +
					"needs the large model.",
				ask: []query{{expr: `3600 * ` + total("rate", modelName, "$__rate_interval", costUSD), name: "{{" + modelName + "}}"}},
			},
			{
				kind: bars, title: "Output per prompt", unit: tokens, width: 12, tall: 9, none: "too few prompts",
				about: "Output tokens divided by the prompts of people and programs, of at least ten, for the ten highest " +
					"projects.",
				ask: []query{{expr: `topk(10, ` + per("project", output, prompts) + `)`, name: "{{project}}"}},
			},
			{
				kind: lines, title: "Turn duration", unit: seconds, width: 12, tall: 9, none: "no turns",
				about: "Percentiles of the durations of turns, from a prompt to the end of its answer: half of them are shorter " +
					"than p50, one in twenty is longer than p95, one in a hundred longer than p99.",
				ask: quantiles("", "", "$__rate_interval", `claude_turn_seconds_bucket`, ""),
			},
			{
				kind: lines, title: "Requests and tool calls per turn", unit: number, width: 24, tall: 8, none: "no turns",
				about: "Percentiles of the API responses and the tool calls of the main conversation in a turn. Many requests are " +
					"agents that search.",
				ask: append(
					quantiles("Requests ", "", "$__rate_interval", `claude_turn_requests_bucket`, "", "p50", "p95"),
					quantiles("Tool calls ", "", "$__rate_interval", `claude_turn_tool_calls_bucket`, "", "p50", "p95")...,
				),
			},
			{
				kind: events, title: "Prompts", unit: perHour, width: 8, tall: 9, none: none,
				about: "Prompts per hour by project.",
				ask:   []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_prompts_total`), name: "{{project}}"}},
			},
			{
				kind: events, title: "Lines changed", unit: perHour, width: 8, tall: 9, none: "no lines changed", paint: colors{"added": "green", "removed": "red"},
				about: "Lines added and removed per hour by the edit tools, if their results contain them; most results " +
					"of sub-agents do not.",
				ask: []query{{expr: `3600 * ` + total("rate", "change", "$__rate_interval", `claude_lines_changed_total`), name: "{{change}}"}},
			},
			{
				kind: events, title: "Interruptions", unit: perHour, width: 8, tall: 9, none: "no interruptions",
				about: "Interruptions per hour by project. Many mean that Claude goes the wrong way: improve the " +
					"description of the project.",
				ask: []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_interruptions_total`), name: "{{project}}"}},
			},
			{
				kind: bars, title: "Slash commands", unit: count, width: 12, tall: 9, none: "no slash commands",
				about: "The most frequent commands. Your own commands count as custom, unless labels.commands in the " +
					"configuration lists them.",
				ask: []query{{expr: `topk(10, ` + increase("command", `claude_commands_total`) + `)`, name: "{{command}}"}},
			},
			{
				kind: events, title: "Sessions started", unit: perHour, width: 12, tall: 9, none: "no new sessions",
				about: "Sessions started per hour by project, with the first line of dialogue. Very many short ones come " +
					"from programs.",
				ask: []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_sessions_total`), name: "{{project}}"}},
			},
			{
				kind: events, title: "Commits and pull requests", unit: perHour, width: 12, tall: 9, none: "none",
				about: "Commits and pull requests per hour, of the selected projects. Commits of people, and those of Claude Code " +
					"before 2.1.156, are not in transcripts.",
				ask: []query{
					{expr: `3600 * ` + total("rate", "", "$__rate_interval", `claude_commits_total`), name: "commits"},
					{expr: `3600 * ` + total("rate", "", "$__rate_interval", `claude_pull_requests_total`), name: "pull requests"},
				},
			},
			{
				kind: events, title: "Files touched", unit: perHour, width: 12, tall: 9, none: "no files",
				about: "Files per hour that tools read, edited or wrote, each once for each session. Many files read for few edited " +
					"ones is search: describe the project in CLAUDE.md.",
				ask: []query{{expr: `3600 * ` + total("rate", "operation", "$__rate_interval", `claude_files_touched_total`), name: "{{operation}}"}},
			},
			{
				kind: events, title: "Background tasks", unit: perHour, width: 12, tall: 9, none: "no background tasks",
				about: "Work in the background that tools started, per hour by kind: shell commands, agents and monitors.",
				ask:   []query{{expr: `3600 * ` + total("rate", "kind", "$__rate_interval", `claude_background_tasks_total`), name: "{{kind}}"}},
			},
			{
				kind: lines, title: "Sessions running", unit: count, width: 12, tall: 9, none: "no sessions",
				about: "Sessions of Claude Code whose processes run, and sessions at work that have no transcript. The latter are " +
					"not counted: look for a full disk or missing permissions.",
				ask: []query{
					{expr: `sum(claude_sessions_running)`, name: "running"},
					{expr: `sum(claude_sessions_unwritten)`, name: "not written"},
				},
			},
		},
	}
}
