package main

// hits are the thresholds of cache hit ratios.
var hits = levels{colors: []string{"red", "yellow", "green"}, at: []float64{0.7, 0.85}}

// cache shows what determines cost: how much of each prompt is read from the cache,
// and how long prompts are.
func cache() board {
	const none = "too few requests"
	return board{
		name:  "cache",
		title: "Cache and context",
		about: "Effectiveness of the prompt cache, and size of contexts.",
		panels: []panel{
			{
				kind: numbers, title: "Cache hit ratio", unit: ratio, width: 6, tall: 5, none: none, good: hits,
				about: "Fraction of input tokens read from the cache, of at least ten requests. Below 70 % something invalidates the cache: pauses " +
					"longer than its lifetime, changing tools or instructions, or many short sessions.",
				ask: []query{{expr: hitRatio("", "$__range"), name: "Tokens"}},
			},
			{
				kind: numbers, title: "Requests with a cache hit", unit: ratio, width: 6, tall: 5, none: none, good: hits,
				about: "Fraction of at least ten requests with any cache read. High here with a low hit ratio means that only the " +
					"beginning of prompts is cached.",
				ask: []query{{expr: fraction("", `claude_cache_requests_total{result="hit"}`, `claude_cache_requests_total`), name: "Requests"}},
			},
			{
				kind: numbers, title: "Reads per token written", unit: number, width: 6, tall: 5, none: "no cache writes",
				about: "How often each token written to the cache was read. Writes cost more than input, reads much less, " +
					"how much depends on the model: the Cost dashboard has the savings and the premium in dollars. Below " +
					"one read per token the cache hardly pays off.",
				ask: []query{{
					expr: total("increase", "", "$__range", cachedInput) +
						` / (` + total("increase", "", "$__range", `claude_tokens_total{type=~"cache_write_.*"}`) + ` >= 1000)`,
					name: "Reads",
				}},
			},
			{
				kind: numbers, title: "Compactions", unit: count, width: 6, tall: 5, none: "none",
				about: "Compacted contexts. Automatic compaction runs when a context is full, and loses detail: start " +
					"new sessions for new tasks.",
				ask: []query{{expr: increase("trigger", `claude_compactions_total`), name: "{{trigger}}"}},
			},
			{
				kind: lines, title: "Cache hit ratio by model", unit: ratio, width: 12, tall: 9, none: none, good: hits, whole: true,
				about: "Fraction of input tokens read from the cache, of at least ten requests. A rarely used model always misses; a drop of all " +
					"models has an external cause, such as a new version of Claude Code.",
				ask: []query{{expr: hitRatio(modelName, "$__rate_interval"), name: "{{" + modelName + "}}"}},
			},
			{
				kind: lines, title: "Cache hit ratio by project", unit: ratio, width: 12, tall: 9, none: none, good: hits, whole: true,
				about: "Fraction of input tokens read from the cache, of at least ten requests. A project that is always lower has changing tools " +
					"or instructions, or only short sessions.",
				ask: []query{{expr: hitRatio("project", "$__rate_interval"), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Requests by cache result", unit: perHour, width: 12, tall: 9, none: none,
				paint: colors{"hit": "green", "partial": "yellow", "miss": "orange", "uncached": "red"},
				about: "Requests per hour: hit read from the cache, miss only wrote to it, uncached did neither. The " +
					"first request of a session and requests after a pause miss; more misses mean that the cache is " +
					"invalidated in between.",
				ask: []query{{expr: `3600 * ` + total("rate", "result", "$__rate_interval", `claude_cache_requests_total`), name: "{{result}}"}},
			},
			{
				kind: stacked, title: "Cache writes by lifetime", unit: tokensMin, width: 12, tall: 9, none: "no cache writes", paint: ofTypes,
				about: "Tokens per minute written to the cache with a lifetime of five minutes or one hour. One hour " +
					"costs more, and pays off where people take longer than five minutes to answer.",
				ask: []query{{expr: `60 * ` + total("rate", "type", "$__rate_interval", `claude_tokens_total{type=~"cache_write_.*"}`), name: "{{type}}"}},
			},
			{
				kind: lines, title: "Largest contexts", unit: tokens, width: 8, tall: 9, none: "no live sessions",
				about: "Tokens in the last request of a live session, the maximum per project. Near the limit of the " +
					"model (usually 200 ktok) it will be compacted; until then every request costs that much.",
				ask: []query{{expr: `topk(10, max by (project) (claude_session_context_tokens))`, name: "{{project}}"}},
			},
			{
				kind: list, title: "Live sessions", unit: tokens, width: 16, tall: 9, none: "no live sessions", rows: []string{"session", "project", modelName},
				about: "The largest contexts of live sessions. claude --resume with the id opens one; /compact or a new " +
					"session makes it cheap again.",
				ask: []query{{expr: `topk(50, max by (session, project, ` + modelName + `) (` + addModelName(`claude_session_context_tokens`) + `))`, name: "Context"}},
			},
			{
				kind: heat, title: "Context size at compaction", unit: tokens, width: 12, tall: 9, none: "no compactions",
				about: "Number of compactions by context size. Automatic ones are at the limit of the model; those far " +
					"below were manual.",
				ask: []query{{expr: `sum by (le) (increase(claude_compaction_pre_tokens_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: events, title: "Compactions by trigger", unit: perHour, width: 12, tall: 9, none: "no compactions",
				about: "Compactions per hour: auto when the context was full, manual by /compact. Frequent auto " +
					"compactions mean that sessions are longer than their tasks.",
				ask: []query{{expr: `3600 * ` + total("rate", "trigger", "$__rate_interval", `claude_compactions_total`), name: "{{trigger}}"}},
			},
		},
	}
}
