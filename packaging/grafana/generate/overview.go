package main

import "fmt"

// estimate is in the descriptions of all costs.
const estimate = "List prices of the API, not the bill of a subscription. "

// overview is the entry point: cost and tokens of today, seven and thirty days, and by
// day, model and project.
func overview() board {
	return board{
		name:  "overview",
		title: "Overview",
		about: "What Claude Code used, what it is worth, by day, model and project, and whether it works well.",
		panels: []panel{
			costOf(today), costOf(week), costOf(month),
			tokensOf(today), tokensOf(week), tokensOf(month),
			costPerDay("Cost per day by model (list price)", modelName, perDay(modelName, costUSD), nil, "no data", ". Using a smaller model where it "+
				"suffices is the easiest saving. The Cost dashboard has users, agents and models without a price."),
			topTenPerDay("project", "no data", "projects. Select one above, or see Projects."),
			byModel("Output", output, "Tokens per minute that models wrote, with those that they thought."),
			byModel("Fresh input", freshInput, "Tokens per minute that were sent for the first time: input, and cache writes. "+
				"Much of it means that the cache is ineffective: see Cache and context."),
			byModel("Cached input", cachedInput, "Tokens per minute read from the cache. They are many, as every request reads the "+
				"whole conversation again, and much cheaper than fresh input, how much depends on the model."),
			{
				kind: lines, title: "Cache hit ratio", unit: ratio, width: 8, tall: 9, none: "too few requests", good: hits, whole: true,
				about: "Fraction of input tokens read from the cache, in total and by model, of at least ten requests. Long " +
					"sessions reach 85 % and more; below 70 % the same text is paid for repeatedly: see Cache and context.",
				ask: []query{
					{expr: hitRatio("", "$__rate_interval"), name: "all models"},
					{expr: hitRatio(modelName, "$__rate_interval"), name: "{{" + modelName + "}}"},
				},
			},
			{
				kind: lines, title: "Active sessions", unit: count, width: 8, tall: 9, none: "no active sessions",
				about: "Sessions with a line in the last five minutes, by project. Look for sessions that were left " +
					"running.",
				ask: []query{{expr: `sum by (project) (claude_sessions_active) > 0`, name: "{{project}}"}},
			},
			{
				kind: events, title: "API errors", unit: perHour, width: 8, tall: 9, none: "no API errors",
				about: "Errors per hour that reached the user after all retries, retries, and limits of the subscription " +
					"that were reached. rate_limit and overloaded resolve themselves, and fewer concurrent sessions " +
					"help; authentication_failed and billing_error need action.",
				ask: []query{
					{expr: `3600 * sum by (error) (rate(claude_api_errors_total[$__rate_interval]))`, name: "{{error}}"},
					{expr: `3600 * sum(rate(claude_api_retries_total[$__rate_interval]))`, name: "retries"},
					{expr: `3600 * sum by (window) (rate(claude_limit_hits_total[$__rate_interval]))`, name: "{{window}} limit reached"},
				},
			},
			usageLimits(),
		},
	}
}

// A period is a time range until now, which is compared with the one before.
type period struct {
	name, since string
	this        string // name of its value
	before      string // name of the period before
	shift       string // how long before
	note        string
}

// thirtyDays is the beginning of the day 29 days ago.
const thirtyDays = "now-29d/d"

var (
	today = period{"today", "now/d", "Today", "Yesterday", "1d", "Since midnight, and yesterday from midnight to the same time"}
	week  = period{"of the last 7 days", "now-7d", "7 days", "Before", "7d", "The last seven days, and the seven before"}
	month = period{"of the last 30 days", "now-30d", "30 days", "Before", "30d", "The last thirty days, and the thirty before; days beyond the retention of the server are missing"}
)

// change is the relative change of a value between two periods, if the one before is
// large enough.
func change(now, before, least string) string {
	return fmt.Sprintf("%s / (%s >= %s) - 1", now, before, least)
}

// costOf compares the cost of a period with that of the one before.
func costOf(p period) panel {
	now := total("increase", "", "$__range", `claude_cost_usd_total`)
	before := total("increase", "", "$__range offset "+p.shift, `claude_cost_usd_total`)
	return panel{
		kind: numbers, title: "Cost " + p.name + " (list price)", unit: usd, width: 8, tall: 4, since: p.since, none: "no data",
		about: estimate + p.note + ", if the time range ends now. The change needs a dollar to compare with.",
		ask: []query{
			{expr: now, name: p.this},
			{expr: before, name: p.before},
			{expr: change(now, before, "1"), name: "Change", unit: ratio, decimals: 1},
		},
	}
}

// tokensOf compares the tokens of a period with those of the one before.
func tokensOf(p period) panel {
	now := total("increase", tokenKind, "$__range", `claude_tokens_total`)
	before := total("increase", tokenKind, "$__range offset "+p.shift, `claude_tokens_total`)
	return panel{
		kind: list, title: "Tokens " + p.name, unit: tokens, width: 8, tall: 6, since: p.since, none: "no data",
		rows: []string{tokenKind}, sort: column(tokenKind),
		about: "Output, fresh input (input and cache writes) and cached input (cache reads), which have very different " +
			"prices. " + p.note + ", if the time range ends now.",
		ask: []query{
			{expr: "round(" + now + ")", name: "Now"},
			{expr: "round(" + before + ")", name: "Before"},
			{expr: change(now, before, "1000"), name: "Change", unit: ratio, decimals: 1},
		},
	}
}

// byModel is a graph of a kind of tokens.
func byModel(title, selection, about string) panel {
	return panel{
		kind: stacked, title: title + " by model", unit: tokensMin, width: 8, tall: 9, none: "no data", about: about,
		ask: []query{{expr: "60 * " + total("rate", modelName, "$__rate_interval", selection), name: "{{" + modelName + "}}"}},
	}
}
