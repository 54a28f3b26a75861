package main

// overview is where one begins: how much, by whom, and whether all is well.
func overview() board {
	const (
		ask = "What was sent and received, how much of the prompt came from the cache, what people started, and what " +
			"went wrong. A hit ratio below 70 % is explained on Cache and context, errors on Tools. "
		none     = "nothing in this time"
		relative = ", while the chosen time ends now."
	)
	return board{
		name:  "overview",
		title: "Overview",
		about: "How much Claude Code is used, by which projects and models, and whether it goes well.",
		panels: []panel{
			summary("Today", "now/d", ask+"Since midnight"+relative),
			summary("This week", "now/w", ask+"Since the week began"+relative),
			summary("This month", "now/M", ask+"Since the month began"+relative+" What is older than the server keeps is missing."),
			{
				kind: stacked, title: "Tokens by type", unit: tokensMin, width: 12, tall: 8, none: none, paint: ofTypes,
				about: "Tokens a minute. Most should be cache_read, which costs a tenth of input; much input or cache_write means that the cache does not " +
					"help: see Cache and context.",
				ask: []query{{expr: `60 * sum by (type) (rate(claude_tokens_total[$__rate_interval]))`, name: "{{type}}"}},
			},
			{
				kind: stacked, title: "Tokens by model", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens a minute by model. A large model where a small one would do is the cheapest thing to change.",
				ask:   []query{{expr: `60 * sum by (model) (rate(claude_tokens_total[$__rate_interval]))`, name: "{{model}}"}},
			},
			{
				kind: stacked, title: "Tokens of the ten largest projects", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Tokens a minute of the projects that used most in the chosen time. Choose one above, or see Projects.",
				ask:   []query{{expr: largest("project", 60, `claude_tokens_total`), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Output by agent", unit: tokensMin, width: 12, tall: 8, none: none,
				about: "Output tokens a minute, of the main conversations and of what they start: sub-agents, compactions, suggestions. " +
					"Much of it outside main means that the work is done by helpers: see Tools.",
				ask: []query{{expr: `60 * sum by (agent) (rate(claude_tokens_total{type="output"}[$__rate_interval]))`, name: "{{agent}}"}},
			},
			{
				kind: lines, title: "Cache hit ratio", unit: ratio, width: 12, tall: 8, none: "no requests in this time", good: hits, whole: true,
				about: "Share of the prompt that came from the cache, over all and by model. Long sessions reach 85 % and more; below 70 % the same text is " +
					"paid for again and again. Cache and context tells why.",
				ask: []query{
					{expr: hitRatio("", "$__rate_interval"), name: "all"},
					{expr: hitRatio("model", "$__rate_interval"), name: "{{model}}"},
				},
			},
			{
				kind: lines, title: "Sessions at work", unit: count, width: 12, tall: 8, none: "no session was at work in this time",
				about: "Sessions with a line in the last five minutes, by project. Many that nobody looks after are worth a question.",
				ask:   []query{{expr: `sum by (project) (claude_sessions_active) > 0`, name: "{{project}}"}},
			},
			{
				kind: events, title: "Prompts", unit: perHour, width: 8, tall: 8, none: none,
				about: "Prompts an hour, by how they came: typed, queued while Claude worked, slash commands, or sent by a program (sdk).",
				ask:   []query{{expr: `3600 * sum by (kind) (rate(claude_prompts_total[$__rate_interval]))`, name: "{{kind}}"}},
			},
			{
				kind: events, title: "API errors", unit: perHour, width: 8, tall: 8, none: "no API errors in this time",
				about: "Errors an hour that reached the user after all retries, and the retries. rate_limit and overloaded pass by themselves, fewer sessions at " +
					"once help; authentication_failed and billing_error need somebody to act.",
				ask: []query{
					{expr: `3600 * sum by (error) (rate(claude_api_errors_total[$__rate_interval]))`, name: "{{error}}"},
					{expr: `3600 * sum(rate(claude_api_retries_total[$__rate_interval]))`, name: "retries"},
				},
			},
			{
				kind: lines, title: "Tool errors", unit: ratio, width: 8, tall: 8, none: "no tool calls in this time",
				about: "Share of the tool calls that ended in an error, by who called. Commands that fail are a part of the work. " +
					"A rise mostly has one tool or one reason, which Tools shows.",
				ask: []query{{
					expr: share("agent", "$__rate_interval", `claude_tool_errors_total`, `claude_tool_calls_total`),
					name: "{{agent}}",
				}},
			},
		},
	}
}

// ofTypes are the colours of the types of tokens: of those that are sent the
// warmer the more expensive.
var ofTypes = colors{"cache_read": "blue", "input": "yellow", "cache_write_5m": "orange", "cache_write_1h": "red", "output": "green"}

// summary is a row of numbers since a time that is not chosen but told.
func summary(title, since, about string) panel {
	return panel{
		kind: numbers, title: title, unit: count, width: 24, tall: 4, since: since, about: about, none: "none",
		ask: []query{
			{expr: counted(`claude_tokens_total`), name: "Tokens", unit: tokens},
			{expr: counted(`claude_tokens_total{type="output"}`), name: "Output", unit: tokens},
			{expr: hitRatio("", "$__range"), name: "Cache hit ratio", unit: ratio},
			{expr: counted(`claude_sessions_total`), name: "Sessions"},
			{expr: counted(`claude_prompts_total`), name: "Prompts"},
			{expr: counted(`claude_api_errors_total`), name: "API errors"},
		},
	}
}
