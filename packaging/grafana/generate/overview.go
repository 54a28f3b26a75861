package main

// estimate is in the descriptions of all costs.
const estimate = "List prices of the API, not the bill of a subscription. "

// overview is the entry point: usage of the time range and of today, limits, then cost,
// tokens and health.
func overview() board {
	return board{
		name:  "overview",
		title: "Claude Code overview",
		description: "What Claude Code used, what it is worth at the list prices of the API, by day, model and project, and whether " +
			"it works well.",
		panels: append(append(rangeTiles(), costOf(today), costOf(week), costOf(month)),
			limitsNow(),
			costBars("Cost by project", "project", 12, 7, nil, "Of the time range, the ten highest. Select one above, or see Projects."),
		),
		rows: []row{
			{title: "Cost", panels: []panel{
				costPerDay("Cost per day by model", modelName, perDay(modelName, costUSD), nil, "no data", ". Using a smaller model where it "+
					"suffices is the easiest saving. The Cost dashboard has users, agents and models without a price."),
				topTenPerDay("project", "projects. Select one above, or see Projects."),
			}},
			{title: "Tokens", panels: []panel{
				tokensOf(today), tokensOf(week), tokensOf(month),
				byModel("Output", output, "Tokens that models wrote, with those that they thought."),
				byModel("Fresh input", freshInput, "Tokens that were sent for the first time: input, and cache writes. "+
					"Much of it means that the cache is ineffective: see Cache and context."),
				byModel("Cached input", cachedInput, "Tokens read from the cache. They are many, as every request reads the "+
					"whole conversation again, and much cheaper than fresh input, how much depends on the model."),
			}},
			{title: "Health", panels: health()},
			{title: `Usage limits over time: "ccwatchd statusline" reports them, see docs/terminal.md`, collapsed: true, panels: []panel{usageLimits()}},
		},
	}
}

// health shows whether Claude Code works well.
func health() []panel {
	return []panel{
		{
			kind: timeSeries, title: "Cache hit ratio", unit: ratio, width: 8, height: 9, noValue: "too few requests", thresholds: hits, max: 1,
			description: "Fraction of input tokens read from the cache, in total and by model, of at least ten requests. Long " +
				"sessions reach 85 % and more; below 70 % the same text is paid for repeatedly: see Cache and context.",
			targets: []query{
				{expr: hitRatio("", "$__rate_interval"), name: "all models"},
				{expr: hitRatio(modelName, "$__rate_interval"), name: "{{" + modelName + "}}"},
			},
		},
		{
			kind: timeSeries, title: "Active sessions", unit: count, width: 8, height: 9, noValue: "no active sessions",
			description: "Sessions with a line in the last five minutes, by project. Look for sessions that were left " +
				"running.",
			targets: []query{{expr: positive(`sum by (project) (claude_sessions_active)`), name: "{{project}}"}},
		},
		{
			kind: increases, title: "API errors", unit: count, width: 8, height: 9, noValue: "no API errors",
			description: "Errors that reached the user after all retries, retries, and limits of the subscription " +
				"that were reached. rate_limit and overloaded resolve themselves, and fewer concurrent sessions " +
				"help; authentication_failed and billing_error need action.",
			targets: []query{
				{expr: perStep("error", `claude_api_errors_total`), name: "{{error}}"},
				{expr: perStep("", `claude_api_retries_total`), name: "retries"},
				{expr: perStep("window", `claude_limit_hits_total`), name: "{{window}} limit reached"},
			},
		},
	}
}

// byModel is a graph of a kind of tokens.
func byModel(title, selection, description string) panel {
	return panel{
		kind: increases, title: title + " by model", unit: tokens, width: 8, height: 9, noValue: "no data", description: description,
		targets: []query{{expr: perStep(modelName, selection), name: "{{" + modelName + "}}"}},
	}
}
