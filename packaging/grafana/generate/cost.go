package main

// costName is the name of the dashboard with the price of the plan.
const costName = "cost"

// planPrice is the variable with the price of a subscription.
const planPrice = "plan_price"

// Selectors of the cost and of its divisors.
const (
	costUSD      = `claude_cost_usd_total`
	prompts      = `claude_prompts_total`
	turns        = `claude_turns_total`
	commits      = `claude_commits_total`
	pullRequests = `claude_pull_requests_total`
)

const (
	unpriced = "no priced usage"
	noUser   = "no label user: see docs/remote-write.md"
)

// cost shows who and what causes the cost, for teams.
func cost() board {
	const more = "Of the time range, the ten highest. "
	return board{
		name:  costName,
		title: "Cost",
		description: "What the usage of Claude Code is worth at the list prices of the API, by user, project, model, component and agent. " +
			"It is an estimate, not the bill of a subscription.",
		panels: []panel{
			{
				kind: stat, title: "Cost at list prices", unit: usd, width: 8, height: 4, noValue: "–",
				description: estimate + "Savings of the prompt cache are what cache reads would have cost more as input, the premium is what " +
					"cache writes cost more than input. A premium near the savings means that the cache is written more often than " +
					"read: see Cache and context.",
				targets: []query{
					{expr: total("increase", "", "$__range", costUSD), name: "Total"},
					{expr: total("increase", "", "$__range", `claude_cache_savings_usd_total`), name: "Cache savings"},
					{expr: total("increase", "", "$__range", `claude_cache_write_premium_usd_total`), name: "Write premium"},
				},
			},
			{
				kind: stat, title: "Cost of work", unit: usd, width: 10, height: 4, noValue: "–",
				description: estimate + "The whole cost divided by prompts and turns, of at least ten, by commits and pull requests of " +
					"Claude Code, and by a million output tokens of at least ten requests. Commits of people are not in transcripts.",
				targets: []query{
					{expr: per("", costUSD, prompts, enough), name: "Per prompt"},
					{expr: per("", costUSD, turns, enough), name: "Per turn"},
					{expr: per("", costUSD, commits, "1"), name: "Per commit"},
					{expr: per("", costUSD, pullRequests, "1"), name: "Per pull request"},
					{expr: perMillionOutput(""), name: "Per 1M output"},
				},
			},
			{
				kind: stat, title: "Next 30 days", unit: usd, width: 3, height: 4, noValue: "–", timeFrom: "now-7d",
				description: estimate + "The cost of thirty days like the last seven, if the time range ends now.",
				targets:     []query{{expr: "30 / 7 * " + total("increase", "", "$__range", costUSD), name: "At this pace"}},
			},
			{
				kind: stat, title: "Price tables", unit: count, width: 3, height: 4, noValue: "no prices", namesOnly: true,
				description: "The date on which the list prices of the daemons were last compared with the published ones; " +
					"overlay means that the configuration adds or overrides prices. Update ccwatchd if the date is old.",
				targets: []query{{expr: `count by (updated, source) (ccwatchd_price_table_info)`, name: "{{updated}} {{source}}"}},
			},
			costBars("Cost by project", "project", 8, 8, nil, more+"Select one above, or see Projects."),
			costBars("Cost by model", modelName, 8, 8, nil, more+"A smaller model where it suffices is the easiest saving."),
			costBars("Cost by user", "user", 8, 8, nil, "Of sources with the label user. "+more).requiring("user", noUser),
			costPerDay("Cost per day by component", "component", perDay("component", costUSD), ofComponents, unpriced, ". More and more cache reads mean "+
				"that conversations become longer."),
			topTenPerDay("user", "users.").requiring("user", noUser),
			costBars("Cost by component", "component", 8, 10, ofComponents, "What was paid for: output, input, cache reads and writes, web searches."),
			costBars("Cost by agent", "agent", 8, 10, nil, "The main conversation, sub-agents, the advisor, and what Claude Code does by itself."),
			{
				kind: barGauge, title: "Unpriced tokens", unit: tokens, width: 8, height: 10, noValue: "all models have a price",
				description: "Tokens of models that have no price, and are missing in the cost, until now. Add their prices to the " +
					"configuration (pricing), or update ccwatchd: the cost then includes them.",
				targets: []query{{expr: `topk(10, ` + positive(sum(modelName, `claude_unpriced_tokens`)) + `)`, name: "{{" + modelName + "}}"}},
			},
			userProjects(),
		},
		rows: []row{
			{
				title: "Is a subscription worth it? Set its monthly price: see docs/dashboards.md", collapsed: true,
				panels: []panel{subscription()},
			},
			{
				title: "Claude Code's own estimate: it reports one at the end of interactive sessions", collapsed: true,
				panels: ownEstimate(),
			},
		},
	}
}

// userProjects is a table of what users spent in projects.
func userProjects() panel {
	const by = "user, project"
	spent := func(family string) string { return positive(total("increase", by, "$__range", family)) }
	return panel{
		kind: table, title: "Projects of users", unit: usd, width: 24, height: 9, noValue: unpriced, labels: []string{"user", "project"},
		description: estimate + "Cost of each user in each project, and what a prompt, a turn and a million output tokens cost " +
			"there, of at least ten prompts, turns or requests. The name links to the project alone.",
		targets: []query{
			{expr: spent(costUSD), name: "Cost"},
			{expr: per(by, costUSD, prompts, enough), name: "Per prompt"},
			{expr: per(by, costUSD, turns, enough), name: "Per turn"},
			{expr: perMillionOutput(by), name: "Per 1M output"},
			{expr: spent(`claude_cache_savings_usd_total`), name: "Cache savings"},
			{expr: used(by, output), name: "Output", unit: tokens},
			{expr: used(by, freshInput), name: "Fresh input", unit: tokens},
			{expr: used(by, cachedInput), name: "Cached input", unit: tokens},
		},
	}
}

// subscription compares the cost with the price of a plan, a constant variable.
func subscription() panel {
	const price = `vector($` + planPrice + `)`
	spent := total("increase", "", "$__range", costUSD)
	return panel{
		kind: stat, title: "Last 30 days and the subscription", unit: usd, width: 24, height: 4, timeFrom: "now-30d",
		noValue: "set the variable " + planPrice,
		description: estimate + "What the last thirty days would have cost at list prices, the price of the subscriptions in the constant " +
			"variable " + planPrice + ", and how many times the subscription paid for itself: above 1, it is worth it.",
		targets: []query{
			{expr: spent + " and (" + price + " > 0)", name: "At list prices"},
			{expr: price + " > 0", name: "Subscription"},
			{expr: spent + " / (" + price + " > 0)", name: "List prices per dollar paid", unit: number},
		},
	}
}

// ownEstimate compares the cost with Claude Code's own estimate.
func ownEstimate() []panel {
	return []panel{
		{
			kind: table, title: "Claude Code's own estimate", unit: usd, width: 14, height: 8, noValue: unpriced, labels: []string{modelName},
			description: "The cost that Claude Code itself reports at the end of interactive sessions, beside the one by the list " +
				"prices of all sessions: it is lower by the sessions that have not ended or do not report.",
			targets: []query{
				{expr: positive(total("increase", modelName, "$__range", costUSD)), name: "List prices"},
				{expr: positive(total("increase", modelName, "$__range", `claude_reported_cost_usd_total`)), name: "Reported"},
			},
		},
		{
			kind: barGauge, title: "Transcript coverage", unit: ratio, width: 10, height: 8, noValue: "no reported totals",
			description: "Tokens counted from the transcripts of ended sessions, divided by the totals that Claude Code " +
				"itself reports for them, over all projects. Interactive sessions report totals when they end. " +
				"Requests that Claude Code does not write to a transcript, and sub-agents without final numbers, " +
				"are missing.",
			targets: []query{{
				expr: total("increase", "type", "$__range", `claude_reported_seen_tokens_total`) +
					` / (` + total("increase", "type", "$__range", `claude_reported_tokens_total`) + ` >= 1000)`,
				name: "{{type}}",
			}},
		},
	}
}

// costPerDay has a bar for each day, with the cost by a label.
func costPerDay(title, label, expr string, colors colorMap, noValue, description string) panel {
	return panel{
		kind: days, title: title, unit: usd, width: 12, height: 10, noValue: noValue, timeFrom: thirtyDays, colors: colors,
		description: estimate + "One bar for each of the last 30 days, that of today so far" + description,
		targets:     []query{{expr: expr, name: "{{" + label + "}}"}},
	}
}

// topTenPerDay has a bar for each day, with the ten values of a label that cost most.
func topTenPerDay(label, description string) panel {
	return costPerDay("Cost per day by "+label, label, perDay(label, costUSD)+inTopTen(label, costUSD), nil, unpriced,
		", of the ten most expensive "+description)
}

// requiring restricts a panel to series with a label. Without such series, the panel
// shows noValue.
func (p panel) requiring(label, noValue string) panel {
	p.requires, p.noValue = label, noValue
	return p
}

// costBars has a bar for each of the ten values of a label with the highest cost. A
// panel of ten rows has space for six names above their bars; beside the bars, long
// names are cut off.
func costBars(title, label string, width, height uint32, colors colorMap, description string) panel {
	return panel{
		kind: barGauge, title: title, unit: usd, width: width, height: height, noValue: unpriced, description: estimate + description, colors: colors,
		targets: []query{{expr: "topk(10, " + positive(total("increase", label, "$__range", costUSD)) + ")", name: "{{" + label + "}}"}},
	}
}

// perMillionOutput is the whole cost divided by million output tokens.
func perMillionOutput(by string) string {
	return "1e6 * " + total("increase", by, "$__range", costUSD) + " / (" + total("increase", by, "$__range", output) +
		" > 0 and " + total("increase", by, "$__range", `claude_requests_total`) + " >= " + enough + ")"
}
