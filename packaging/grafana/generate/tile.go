package main

// A relative change of muchMore or more is shown as "new".
const muchMore = 10

// change is the relative change of a value between two periods. It is large if there
// was nothing before, and missing if there is nothing now.
func change(now, before string) string {
	return "clamp_max(((" + now + ") > 0) / (" + before + " or 0 * (" + now + ")) - 1, 99)"
}

// tile shows one number of a period, and its change from the period before.
func tile(title, unit, description string, valueIn func(window string) string, before string) panel {
	now := valueIn("$__range")
	return panel{
		kind: stat, title: title, unit: unit, width: 4, height: 3, noValue: "–", description: description,
		targets: []query{
			{expr: now, name: "Total"},
			{expr: change(now, valueIn("$__range offset "+before)), name: "Change", unit: ratio, isChange: true},
		},
	}
}

// rangeTiles show the usage in the time range.
func rangeTiles() []panel {
	inRange := func(title, unit, description string, valueIn func(window string) string) panel {
		return tile(title, unit, description+" The change is from the period of the same length before.", valueIn, "$__range")
	}
	counted := func(title, family, description string) panel {
		return inRange(title, count, description, func(window string) string { return orZero(increaseIn(window, "", family)) })
	}
	ratioTile := inRange("Cache hits", ratio, "Fraction of input tokens read from the cache, of at least ten requests. Below 70 % the "+
		"same text is paid for repeatedly: see Cache and context.", func(window string) string { return hitRatio("", window) })
	ratioTile.targets[0].name = "Ratio"
	ratioTile.thresholds = hits
	return []panel{
		inRange("Cost at list prices", usd, estimate+"Of the time range.", func(window string) string { return total("increase", "", window, costUSD) }),
		counted("Sessions", `claude_sessions_total`, "Sessions that began in the time range."),
		counted("Prompts", prompts, "Prompts of people and programs."),
		inRange("People", count, "Users with at least one request. Without the label user, all are one.",
			func(window string) string { return active("user", window) }),
		inRange("Output tokens", number, "Tokens that models wrote, with those that they thought.",
			func(window string) string { return increaseIn(window, "", output) }),
		ratioTile,
		counted("Lines changed", `claude_lines_changed_total`, "Lines that the edit tools added and removed, if their results contain them."),
		counted("Commits", `claude_commits_total`, "Commits of Claude Code from 2.1.156 on. Those of people are not in transcripts."),
		counted("Pull requests", `claude_pull_requests_total`, "Pull requests that Claude Code opened."),
	}
}

// A period is a time range until now. Its tile compares it with the period before.
type period struct {
	title, timeFrom string
	shift           string // distance to the period before
	note            string
}

// thirtyDays is the beginning of the day 29 days ago.
const thirtyDays = "now-29d/d"

var (
	today = period{"today", "now/d", "1d", "Since midnight, compared with yesterday until the same time"}
	week  = period{"in 7 days", "now-7d", "7d", "The last seven days, compared with the seven before"}
	month = period{"in 30 days", "now-30d", "30d", "The last thirty days, compared with the thirty before; days beyond the retention of the server are missing"}
)

// costOf compares the cost of a period with the period before.
func costOf(p period) panel {
	made := tile("Cost "+p.title, usd, estimate+p.note+", if the time range ends now.",
		func(window string) string { return total("increase", "", window, costUSD) }, p.shift)
	made.timeFrom = p.timeFrom
	return made
}

// tokensOf compares the tokens of a period with the period before.
func tokensOf(p period) panel {
	now := increaseIn("$__range", tokenKind, `claude_tokens_total`)
	before := increaseIn("$__range offset "+p.shift, tokenKind, `claude_tokens_total`)
	return panel{
		kind: table, title: "Tokens " + p.title, unit: tokens, width: 8, height: 5, timeFrom: p.timeFrom, noValue: "no data",
		labels: []string{tokenKind}, sortBy: column(tokenKind),
		description: "Output, fresh input (input and cache writes) and cached input (cache reads), which have very different " +
			"prices. " + p.note + ", if the time range ends now.",
		targets: []query{
			{expr: positive(now), name: "Now"},
			{expr: positive(before), name: "Before"},
			{expr: change(now, before), name: "Change", unit: ratio, isChange: true},
		},
	}
}
