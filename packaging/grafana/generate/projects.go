package main

// projects compares all projects, and shows each alone.
func projects() board {
	const noValue = "no data"
	return board{
		name:        projectsName,
		title:       "Projects",
		description: "Usage and results by project. Select a project above, or by its name in the table, to see it alone.",
		panels: []panel{
			{
				kind: table, title: "Projects", unit: count, width: 24, height: 9, noValue: noValue, labels: []string{"project"},
				description: "Totals by project. The cost is a list-price estimate, not the bill of a subscription. Much input for few prompts and few changed lines is worth a look: long " +
					"contexts, or agents that search. The name links to the project alone.",
				targets: []query{
					{expr: positive(total("increase", "project", "$__range", costUSD)), name: "Cost", unit: usd},
					{expr: used("project", output), name: "Output", unit: tokens},
					{expr: used("project", freshInput), name: "Fresh input", unit: tokens},
					{expr: used("project", cachedInput), name: "Cached input", unit: tokens},
					{expr: hitRatio("project", "$__range"), name: "Cache hits", unit: ratio},
					{expr: used("project", `claude_sessions_total`), name: "Sessions"},
					{expr: used("project", `claude_prompts_total`), name: "Prompts"},
					{expr: used("project", turns), name: "Turns"},
					{expr: used("project", `claude_lines_changed_total`), name: "Lines"},
					{expr: used("project", `claude_commits_total`), name: "Commits"},
					{expr: lastActivity("project"), name: "Last activity", unit: ago, width: 150},
				},
			},
			{
				kind: increases, title: "Cost by project", unit: usd, width: 12, height: 9, noValue: noValue,
				description: estimate + "Of the ten most expensive projects. A step that lasts is a session that " +
					"was left running.",
				targets: []query{{expr: topTen("project", costUSD), name: "{{project}}"}},
			},
			{
				kind: increases, title: "Cost by model", unit: usd, width: 12, height: 9, noValue: noValue,
				description: estimate + "By model, of the selected projects. Check for each project whether it " +
					"needs the large model.",
				targets: []query{{expr: perStep(modelName, costUSD), name: "{{" + modelName + "}}"}},
			},
			{
				kind: barGauge, title: "Output per prompt", unit: tokens, width: 12, height: 9, noValue: "too few prompts",
				description: "Output tokens divided by the prompts of people and programs, of at least ten, for the ten highest " +
					"projects.",
				targets: []query{{expr: `topk(10, ` + per("project", output, prompts, enough) + `)`, name: "{{project}}"}},
			},
			{
				kind: timeSeries, title: "Turn duration", unit: minutes, width: 12, height: 9, noValue: "no turns",
				description: "Percentiles of the durations of turns, from a prompt to the end of its answer: half of them are shorter " +
					"than p50, one in twenty is longer than p95, one in a hundred longer than p99.",
				targets: inMinutes(quantiles("", "", "$__rate_interval", `claude_turn_seconds_bucket`, "")),
			},
			{
				kind: timeSeries, title: "Requests and tool calls per turn", unit: count, width: 24, height: 8, noValue: "no turns",
				description: "Percentiles of the API responses and the tool calls of the main conversation in a turn. Many requests are " +
					"agents that search.",
				targets: append(
					quantiles("Requests ", "", "$__rate_interval", `claude_turn_requests_bucket`, "", "p50", "p95"),
					quantiles("Tool calls ", "", "$__rate_interval", `claude_turn_tool_calls_bucket`, "", "p50", "p95")...,
				),
			},
			{
				kind: increases, title: "Prompts", unit: count, width: 8, height: 9, noValue: noValue,
				description: "Prompts of people and programs, by project.",
				targets:     []query{{expr: perStep("project", `claude_prompts_total`), name: "{{project}}"}},
			},
			{
				kind: increases, title: "Lines changed", unit: count, width: 8, height: 9, noValue: "no lines changed", colors: colorMap{"added": "green", "removed": "red"},
				description: "Lines added and removed by the edit tools, if their results contain them; most results " +
					"of sub-agents do not.",
				targets: []query{{expr: perStep("change", `claude_lines_changed_total`), name: "{{change}}"}},
			},
			{
				kind: increases, title: "Interruptions", unit: count, width: 8, height: 9, noValue: "no interruptions",
				description: "Interruptions by project. Many mean that Claude goes the wrong way: improve the " +
					"description of the project.",
				targets: []query{{expr: perStep("project", `claude_interruptions_total`), name: "{{project}}"}},
			},
			{
				kind: barGauge, title: "Slash commands", unit: count, width: 12, height: 9, noValue: "no slash commands",
				description: "The most frequent commands. Your own commands count as custom, unless labels.commands in the " +
					"configuration lists them.",
				targets: []query{{expr: `topk(10, ` + used("command", `claude_commands_total`) + `)`, name: "{{command}}"}},
			},
			{
				kind: increases, title: "Sessions started", unit: count, width: 12, height: 9, noValue: "no new sessions",
				description: "Sessions started by project, with the first line of dialogue. Very many short ones come " +
					"from programs.",
				targets: []query{{expr: perStep("project", `claude_sessions_total`), name: "{{project}}"}},
			},
			{
				kind: increases, title: "Commits and pull requests", unit: count, width: 12, height: 9, noValue: "none",
				description: "Commits and pull requests of the selected projects. Commits of people, and those of Claude Code " +
					"before 2.1.156, are not in transcripts.",
				targets: []query{
					{expr: perStep("", `claude_commits_total`), name: "commits"},
					{expr: perStep("", `claude_pull_requests_total`), name: "pull requests"},
				},
			},
			{
				kind: increases, title: "Files touched", unit: count, width: 12, height: 9, noValue: "no files",
				description: "Files that tools read, edited or wrote, each once for each session. Many files read for few edited " +
					"ones is search: describe the project in CLAUDE.md.",
				targets: []query{{expr: perStep("operation", `claude_files_touched_total`), name: "{{operation}}"}},
			},
			{
				kind: increases, title: "Background tasks", unit: count, width: 12, height: 9, noValue: "no background tasks",
				description: "Work in the background that tools started, by kind: shell commands, agents and monitors.",
				targets:     []query{{expr: perStep("kind", `claude_background_tasks_total`), name: "{{kind}}"}},
			},
			{
				kind: timeSeries, title: "Sessions running", unit: count, width: 12, height: 9, noValue: "no sessions",
				description: "Sessions of Claude Code whose processes run, and sessions at work that have no transcript. The latter are " +
					"not counted: look for a full disk or missing permissions.",
				targets: []query{
					{expr: `sum(claude_sessions_running)`, name: "running"},
					{expr: `sum(claude_sessions_unwritten)`, name: "not written"},
				},
			},
		},
	}
}
