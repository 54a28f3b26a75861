package main

// Selectors of the cost, and of what is divided by.
const (
	costUSD = `claude_cost_usd_total`
	prompts = `claude_prompts_total`
	turns   = `claude_turns_total`
)

// cost shows who and what causes the cost, for teams.
func cost() board {
	const (
		none = "no priced usage"
		more = "By the list prices of the time range, the ten highest. "
	)
	return board{
		name:  "cost",
		title: "Cost",
		about: "What the usage of Claude Code is worth at the list prices of the API, by user, project, model, component and agent. " +
			"It is an estimate, not the bill of a subscription.",
		panels: []panel{
			{
				kind: numbers, title: "Cost (list price)", unit: usd, width: 10, tall: 5, none: none,
				about: estimate + "Per prompt and per turn of at least ten, and per million output tokens of at least ten " +
					"requests: what a piece of work costs, with everything that belongs to it.",
				ask: []query{
					{expr: total("increase", "", "$__range", costUSD), name: "Total"},
					{expr: per("", costUSD, prompts), name: "Per prompt"},
					{expr: per("", costUSD, turns), name: "Per turn"},
					{expr: perMillionOutput(""), name: "Per 1M output"},
				},
			},
			{
				kind: numbers, title: "Prompt cache", unit: usd, width: 6, tall: 5, none: none,
				about: estimate + "Savings are what cache reads would have cost more as input, the premium is what cache writes " +
					"cost more than input. A premium near the savings means that the cache is written more often than " +
					"read: see Cache and context.",
				ask: []query{
					{expr: total("increase", "", "$__range", `claude_cache_savings_usd_total`), name: "Savings"},
					{expr: total("increase", "", "$__range", `claude_cache_write_premium_usd_total`), name: "Write premium"},
				},
			},
			{
				kind: numbers, title: "Projected month", unit: usd, width: 4, tall: 5, none: none, since: "now-7d",
				about: estimate + "The cost of thirty days like the last seven, if the time range ends now.",
				ask:   []query{{expr: "30 / 7 * " + total("increase", "", "$__range", costUSD), name: "By 7 days"}},
			},
			{
				kind: numbers, title: "Price tables", unit: count, width: 4, tall: 5, none: "no prices",
				about: "Number of daemons by the date on which their list prices were last compared with the published ones; " +
					"overlay means that the configuration adds or overrides prices. Update ccwatchd if the date is old.",
				ask: []query{{expr: `count by (updated, source) (ccwatchd_price_table_info)`, name: "{{updated}} {{source}}"}},
			},
			costBars("Cost by user", "user", 8, nil, "The label user of sources; without it, the user is all. "+more),
			costBars("Cost by project", "project", 8, nil, more+"Select one above, or see Projects."),
			costBars("Cost by model", modelName, 8, nil, more+"A smaller model where it suffices is the easiest saving."),
			costBars("Cost by component", "component", 10, ofComponents, "What was paid for: output, input, cache reads and writes, web searches."),
			costBars("Cost by agent", "agent", 10, nil, "The main conversation, sub-agents, the advisor, and what Claude Code does by itself."),
			{
				kind: bars, title: "Unpriced tokens", unit: tokens, width: 8, tall: 10, none: "all models have a price",
				about: "Tokens of models that have no price, and are missing in the cost, until now. Add their prices to the " +
					"configuration (pricing), or update ccwatchd: the cost then includes them.",
				ask: []query{{expr: `topk(10, ` + sum(modelName, `claude_unpriced_tokens`) + ` > 0)`, name: "{{" + modelName + "}}"}},
			},
			topTenPerDay("user", none, "users."),
			costPerDay("Cost per day by component (list price)", "component", perDay("component", costUSD), ofComponents, none, ". More and more cache reads mean "+
				"that conversations become longer."),
			{
				kind: list, title: "Users and projects", unit: usd, width: 24, tall: 9, none: none, rows: []string{"user", "project"},
				about: estimate + "Cost of each user in each project, and what a prompt, a turn and a million output tokens cost " +
					"there, of at least ten prompts, turns or requests. The name links to the project alone.",
				ask: []query{
					{expr: total("increase", "user, project", "$__range", costUSD), name: "Cost"},
					{expr: per("user, project", costUSD, prompts), name: "Per prompt"},
					{expr: per("user, project", costUSD, turns), name: "Per turn"},
					{expr: perMillionOutput("user, project"), name: "Per 1M output"},
					{expr: total("increase", "user, project", "$__range", `claude_cache_savings_usd_total`), name: "Cache savings"},
					{expr: increase("user, project", output), name: "Output", unit: tokens},
					{expr: increase("user, project", freshInput), name: "Fresh input", unit: tokens},
					{expr: increase("user, project", cachedInput), name: "Cached input", unit: tokens},
				},
			},
			{
				kind: list, title: "Claude Code's own estimate", unit: usd, width: 14, tall: 8, none: none, rows: []string{modelName},
				about: "The cost that Claude Code itself reports at the end of interactive sessions, beside the one by the list " +
					"prices of all sessions: it is lower by the sessions that have not ended or do not report.",
				ask: []query{
					{expr: total("increase", modelName, "$__range", costUSD), name: "List prices"},
					{expr: total("increase", modelName, "$__range", `claude_reported_cost_usd_total`), name: "Reported"},
				},
			},
			{
				kind: bars, title: "Transcript coverage", unit: ratio, width: 10, tall: 8, none: "no reported totals",
				about: "Tokens counted from the transcripts of ended sessions, divided by the totals that Claude Code " +
					"itself reports for them, over all projects. Interactive sessions report totals when they end. " +
					"Requests that Claude Code does not write to a transcript, and sub-agents without final numbers, " +
					"are missing.",
				ask: []query{{
					expr: total("increase", "type", "$__range", `claude_reported_seen_tokens_total`) +
						` / (` + total("increase", "type", "$__range", `claude_reported_tokens_total`) + ` >= 1000)`,
					name: "{{type}}",
				}},
			},
		},
	}
}

// costPerDay has a bar for each day, with the cost by a label.
func costPerDay(title, label, expr string, paint colors, none, about string) panel {
	return panel{
		kind: daily, title: title, unit: usd, width: 12, tall: 10, none: none, since: thirtyDays, paint: paint,
		about: estimate + "One bar for each of the last 30 days, that of today so far" + about,
		ask:   []query{{expr: expr, name: "{{" + label + "}}"}},
	}
}

// topTenPerDay has a bar for each day, with the ten values of a label that cost most.
func topTenPerDay(label, none, about string) panel {
	return costPerDay("Cost per day by "+label+" (list price, top 10)", label, perDay(label, costUSD)+inTopTen(label, costUSD), nil, none,
		", of the ten most expensive "+about)
}

// costBars has a bar for each of the ten values of a label with the highest cost. Names
// of six values fit above their bars if it is ten rows tall; beside them, long ones are
// cut off.
func costBars(title, label string, tall uint32, paint colors, about string) panel {
	return panel{
		kind: bars, title: title + " (list price)", unit: usd, width: 8, tall: tall, none: "no priced usage", about: estimate + about, paint: paint,
		ask: []query{{expr: "topk(10, " + total("increase", label, "$__range", costUSD) + ") > 0", name: "{{" + label + "}}"}},
	}
}

// perMillionOutput is what a million output tokens cost, with everything that belongs
// to them.
func perMillionOutput(by string) string {
	return "1e6 * " + total("increase", by, "$__range", costUSD) + " / (" + total("increase", by, "$__range", output) +
		" > 0 and " + total("increase", by, "$__range", `claude_requests_total`) + " >= " + enough + ")"
}
