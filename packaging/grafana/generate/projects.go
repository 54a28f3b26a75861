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
				about: "Totals by project. Much input for few prompts and few changed lines is worth a look: long " +
					"contexts, or agents that search. The name links to the project alone.",
				ask: []query{
					{expr: increase("project", `claude_tokens_total`), name: "Tokens", unit: tokens},
					{expr: increase("project", `claude_tokens_total{type="output"}`), name: "Output", unit: tokens},
					{expr: hitRatio("project", "$__range"), name: "Cache hit ratio", unit: ratio},
					{expr: increase("project", `claude_sessions_total`), name: "Sessions"},
					{expr: increase("project", `claude_prompts_total`), name: "Prompts"},
					{expr: increase("project", `claude_tool_calls_total`), name: "Tool calls"},
					{expr: increase("project", `claude_lines_changed_total`), name: "Lines changed"},
					{expr: `1000 * max by (project) (claude_last_activity_timestamp_seconds)`, name: "Last activity", unit: ago},
				},
			},
			{
				kind: stacked, title: "Tokens by project (top 10)", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens per minute of the ten projects with most tokens. A step that lasts is a session that was " +
					"left running.",
				ask: []query{{expr: topRates("project", 60, `claude_tokens_total`), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Tokens by model", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens per minute by model, of the selected projects. Check for each project whether it needs " +
					"the large model.",
				ask: []query{{expr: `60 * ` + total("rate", "model", "$__rate_interval", `claude_tokens_total`), name: "{{model}}"}},
			},
			{
				kind: bars, title: "Tokens by user", unit: tokens, width: 8, tall: 8, none: none,
				about: "Tokens by the label user of sources. Tokens of sources without the label are under none: the " +
					"configuration can give every source one.",
				ask: []query{{expr: `topk(10, label_replace(` + increase("user", `claude_tokens_total`) + `, "user", "none", "user", ""))`, name: "{{user}}"}},
			},
			{
				kind: bars, title: "Tokens per prompt", unit: tokens, width: 8, tall: 8, none: "no prompts",
				about: "Tokens divided by the prompts of people and programs, for the ten highest projects. It grows " +
					"with the length of sessions: a new session or a compaction reduces it.",
				ask: []query{{
					expr: `topk(10, ` + total("increase", "project", "$__range", `claude_tokens_total`) +
						` / (` + total("increase", "project", "$__range", `claude_prompts_total`) + ` > 0))`,
					name: "{{project}}",
				}},
			},
			{
				kind: events, title: "Prompts", unit: perHour, width: 8, tall: 8, none: none,
				about: "Prompts per hour by project.",
				ask:   []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_prompts_total`), name: "{{project}}"}},
			},
			{
				kind: heat, title: "Turn duration", unit: seconds, width: 8, tall: 8, none: "no turns",
				about: "Number of turns, from a prompt to the end of the answer, by duration. If turns that should be " +
					"short are long, look for slow tools.",
				ask: []query{{expr: `sum by (le) (increase(claude_turn_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: events, title: "Lines changed", unit: perHour, width: 8, tall: 8, none: "no lines changed", paint: colors{"added": "green", "removed": "red"},
				about: "Lines added and removed per hour by the edit tools, if their results contain them; most results " +
					"of sub-agents do not.",
				ask: []query{{expr: `3600 * ` + total("rate", "change", "$__rate_interval", `claude_lines_changed_total`), name: "{{change}}"}},
			},
			{
				kind: events, title: "Interruptions", unit: perHour, width: 8, tall: 8, none: "no interruptions",
				about: "Interruptions per hour by project. Many mean that Claude goes the wrong way: improve the " +
					"description of the project.",
				ask: []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_interruptions_total`), name: "{{project}}"}},
			},
			{
				kind: bars, title: "Slash commands", unit: count, width: 8, tall: 8, none: "no slash commands",
				about: "The most frequent commands. Your own commands count as custom, unless labels.commands in the " +
					"configuration lists them.",
				ask: []query{{expr: `topk(10, ` + increase("command", `claude_commands_total`) + `)`, name: "{{command}}"}},
			},
			{
				kind: events, title: "Sessions started", unit: perHour, width: 8, tall: 8, none: "no new sessions",
				about: "Sessions started per hour by project, with the first line of dialogue. Very many short ones come " +
					"from programs.",
				ask: []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_sessions_total`), name: "{{project}}"}},
			},
			{
				kind: bars, title: "Transcript coverage", unit: ratio, width: 8, tall: 8, none: "no reported totals",
				about: "Tokens counted from the transcripts of ended sessions, divided by the totals that Claude Code " +
					"itself reports for them, over all projects. Interactive sessions report totals when they end. " +
					"Requests that Claude Code does not write to a transcript, and sub-agents without final numbers, " +
					"are missing.",
				ask: []query{{
					expr: total("increase", "type", "$__range", `claude_reported_seen_tokens_total`) +
						` / (` + total("increase", "type", "$__range", `claude_reported_tokens_total`) + ` > 0)`,
					name: "{{type}}",
				}},
			},
		},
	}
}
