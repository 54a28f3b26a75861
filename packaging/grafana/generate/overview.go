package main

// overview is the entry point: usage, by project and model, and errors.
func overview() board {
	const (
		ask = "Tokens, cache hit ratio, sessions, prompts and errors. Cache and context explains hit ratios " +
			"below 70 %, Tools explains errors. "
		none     = "no data"
		relative = ", if the time range ends now."
	)
	return board{
		name:  "overview",
		title: "Overview",
		about: "Usage of Claude Code by project and model, and errors.",
		panels: []panel{
			summary("Today", "now/d", ask+"Since midnight"+relative),
			summary("This week", "now/w", ask+"Since the start of the week"+relative),
			summary("This month", "now/M", ask+"Since the start of the month"+relative+" Data beyond the retention of the server is missing."),
			{
				kind: stacked, title: "Tokens by type", unit: tokensMin, width: 12, tall: 8, none: none, paint: ofTypes,
				about: "Tokens per minute. Most should be cache_read, which costs a tenth of input; much input or " +
					"cache_write means that the cache is ineffective: see Cache and context.",
				ask: []query{{expr: `60 * sum by (type) (rate(claude_tokens_total[$__rate_interval]))`, name: "{{type}}"}},
			},
			{
				kind: stacked, title: "Tokens by model", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens per minute by model. Using a smaller model where it suffices is the easiest saving.",
				ask:   []query{{expr: `60 * sum by (model) (rate(claude_tokens_total[$__rate_interval]))`, name: "{{model}}"}},
			},
			{
				kind: stacked, title: "Tokens by project (top 10)", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens per minute of the ten projects with most tokens. Select one above, or see Projects.",
				ask:   []query{{expr: topRates("project", 60, `claude_tokens_total`), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Output by agent", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Output tokens per minute of main conversations, and of sub-agents, compactions and suggestions. " +
					"Much output outside of main means that sub-agents do the work: see Tools.",
				ask: []query{{expr: `60 * sum by (agent) (rate(claude_tokens_total{type="output"}[$__rate_interval]))`, name: "{{agent}}"}},
			},
			{
				kind: lines, title: "Cache hit ratio", unit: ratio, width: 12, tall: 8, none: "no requests", good: hits, whole: true,
				about: "Fraction of input tokens read from the cache, in total and by model. Long sessions reach 85 % " +
					"and more; below 70 % the same text is paid for repeatedly: see Cache and context.",
				ask: []query{
					{expr: hitRatio("", "$__rate_interval"), name: "all"},
					{expr: hitRatio("model", "$__rate_interval"), name: "{{model}}"},
				},
			},
			{
				kind: lines, title: "Active sessions", unit: count, width: 12, tall: 8, none: "no active sessions",
				about: "Sessions with a line in the last five minutes, by project. Look for sessions that were left " +
					"running.",
				ask: []query{{expr: `sum by (project) (claude_sessions_active) > 0`, name: "{{project}}"}},
			},
			{
				kind: events, title: "Prompts", unit: perHour, width: 6, tall: 8, none: none,
				about: "Prompts per hour by kind: typed, queued while Claude worked, slash commands, or sent by a " +
					"program (sdk).",
				ask: []query{{expr: `3600 * sum by (kind) (rate(claude_prompts_total[$__rate_interval]))`, name: "{{kind}}"}},
			},
			{
				kind: events, title: "API errors", unit: perHour, width: 12, tall: 8, none: "no API errors",
				about: "Errors per hour that reached the user after all retries, and retries. rate_limit and overloaded " +
					"resolve themselves, and fewer concurrent sessions help; authentication_failed and billing_error " +
					"need action.",
				ask: []query{
					{expr: `3600 * sum by (error) (rate(claude_api_errors_total[$__rate_interval]))`, name: "{{error}}"},
					{expr: `3600 * sum(rate(claude_api_retries_total[$__rate_interval]))`, name: "retries"},
				},
			},
			{
				kind: lines, title: "Tool errors", unit: ratio, width: 6, tall: 8, none: "no tool calls",
				about: "Fraction of tool calls that failed, by calling agent. Failing commands are normal. An increase " +
					"usually has one tool or one reason: see Tools.",
				ask: []query{{
					expr: fraction("agent", "$__rate_interval", `claude_tool_errors_total`, `claude_tool_calls_total`),
					name: "{{agent}}",
				}},
			},
		},
	}
}

// ofTypes are the colors of token types: input types are warmer the more they cost.
var ofTypes = colors{"cache_read": "blue", "input": "yellow", "cache_write_5m": "orange", "cache_write_1h": "red", "output": "green"}

// summary is a row of totals since a fixed time.
func summary(title, since, about string) panel {
	return panel{
		kind: numbers, title: title, unit: count, width: 24, tall: 4, since: since, about: about, none: "none",
		ask: []query{
			{expr: increaseOrZero(`claude_tokens_total`), name: "Tokens", unit: tokens},
			{expr: increaseOrZero(`claude_tokens_total{type="output"}`), name: "Output", unit: tokens},
			{expr: hitRatio("", "$__range"), name: "Cache hit ratio", unit: ratio},
			{expr: increaseOrZero(`claude_sessions_total`), name: "Sessions"},
			{expr: increaseOrZero(`claude_prompts_total`), name: "Prompts"},
			{expr: increaseOrZero(`claude_api_errors_total`), name: "API errors"},
		},
	}
}
