package main

// projects is who does what: all projects side by side, and each by itself.
func projects() board {
	const none = "nothing in this time"
	return board{
		name:  projectsName,
		title: "Projects",
		about: "What each project uses and gets. Choose one above, or by its name in the list, to see it alone.",
		panels: []panel{
			{
				kind: list, title: "Projects", unit: count, width: 24, tall: 9, none: none, rows: []string{"project"},
				about: "Everything in the chosen time, by project. Much input for few prompts and few lines is worth a look: " +
					"long contexts, or agents that search. The name leads to the project alone.",
				ask: []query{
					{expr: grown("project", `claude_tokens_total`), name: "Tokens", unit: tokens},
					{expr: grown("project", `claude_tokens_total{type="output"}`), name: "Output", unit: tokens},
					{expr: hitRatio("project", "$__range"), name: "Cache hit ratio", unit: ratio},
					{expr: grown("project", `claude_sessions_total`), name: "Sessions"},
					{expr: grown("project", `claude_prompts_total`), name: "Prompts"},
					{expr: grown("project", `claude_tool_calls_total`), name: "Tool calls"},
					{expr: grown("project", `claude_lines_changed_total`), name: "Lines changed"},
					{expr: `1000 * max by (project) (claude_last_activity_timestamp_seconds)`, name: "Last line", unit: ago},
				},
			},
			{
				kind: stacked, title: "Tokens of the ten largest", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens a minute of the projects that used most in the chosen time. A step that stays is a session that was left alone.",
				ask:   []query{{expr: largest("project", 60, `claude_tokens_total`), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Tokens by model", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens a minute by model, of the chosen projects. Whether the large model is needed is a question for each project.",
				ask:   []query{{expr: `60 * ` + total("rate", "model", "$__rate_interval", `claude_tokens_total`), name: "{{model}}"}},
			},
			{
				kind: bars, title: "Tokens by user", unit: tokens, width: 8, tall: 8, none: none,
				about: "Tokens in the chosen time by the label user of the sources. What comes from a source without one " +
					"is nobody's: the configuration can give every source one.",
				ask: []query{{expr: `topk(10, label_replace(` + grown("user", `claude_tokens_total`) + `, "user", "nobody", "user", ""))`, name: "{{user}}"}},
			},
			{
				kind: bars, title: "Tokens per prompt", unit: tokens, width: 8, tall: 8, none: "no prompts in this time",
				about: "All tokens of the chosen time, by the prompts that people and programs sent: the ten projects with most. It grows with the length of sessions: " +
					"a new session, or a compaction, brings it down.",
				ask: []query{{
					expr: `topk(10, ` + total("increase", "project", "$__range", `claude_tokens_total`) +
						` / (` + total("increase", "project", "$__range", `claude_prompts_total`) + ` > 0))`,
					name: "{{project}}",
				}},
			},
			{
				kind: events, title: "Prompts", unit: perHour, width: 8, tall: 8, none: none,
				about: "Prompts an hour, by project: who works when.",
				ask:   []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_prompts_total`), name: "{{project}}"}},
			},
			{
				kind: heat, title: "Turn duration", unit: seconds, width: 8, tall: 8, none: "no turn ended in this time",
				about: "How many turns, from a prompt to the end of the answer, took how long. Long ones are no fault, but those that should have been short are: look for slow tools.",
				ask:   []query{{expr: `sum by (le) (increase(claude_turn_duration_seconds_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: events, title: "Lines changed", unit: perHour, width: 8, tall: 8, none: "no lines changed in this time", paint: colors{"added": "green", "removed": "red"},
				about: "Lines added and removed an hour by the edit tools, as far as their results state them; most of sub-agents do not.",
				ask:   []query{{expr: `3600 * ` + total("rate", "change", "$__rate_interval", `claude_lines_changed_total`), name: "{{change}}"}},
			},
			{
				kind: events, title: "Interruptions", unit: perHour, width: 8, tall: 8, none: "nobody interrupted in this time",
				about: "How often people stopped Claude, by project. Many mean that it went the wrong way: a better description of the project helps.",
				ask:   []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_interruptions_total`), name: "{{project}}"}},
			},
			{
				kind: bars, title: "Slash commands", unit: count, width: 8, tall: 8, none: "no slash commands in this time",
				about: "The commands used most. Those of one's own are custom, unless the configuration lists them in labels.commands.",
				ask:   []query{{expr: `topk(10, ` + grown("command", `claude_commands_total`) + `)`, name: "{{command}}"}},
			},
			{
				kind: events, title: "Sessions begun", unit: perHour, width: 8, tall: 8, none: "no session began in this time",
				about: "Sessions an hour with a first line of dialogue, by project. Very many short ones come from programs.",
				ask:   []query{{expr: `3600 * ` + total("rate", "project", "$__rate_interval", `claude_sessions_total`), name: "{{project}}"}},
			},
			{
				kind: bars, title: "Coverage of the transcripts", unit: ratio, width: 8, tall: 8, none: "no session reported its totals in this time",
				about: "Tokens counted from the transcripts of the sessions that ended in the chosen time, as a share of what Claude Code itself reports for them, " +
					"over all projects. Interactive sessions report their totals when they end. Requests that Claude Code writes to no transcript, " +
					"and sub-agents without final numbers, are missing.",
				ask: []query{{
					expr: total("increase", "type", "$__range", `claude_reported_seen_tokens_total`) +
						` / (` + total("increase", "type", "$__range", `claude_reported_tokens_total`) + ` > 0)`,
					name: "{{type}}",
				}},
			},
		},
	}
}
