package main

// hits are the thresholds of cache hit ratios. Yellow is hard to read on white.
var hits = thresholds{colors: []string{"red", "semi-dark-orange", "green"}, at: []float64{0.7, 0.85}}

// cache shows the main factors of cost: the part of each prompt read from the cache,
// and the length of prompts.
func cache() board {
	const noValue = "too few requests"
	return board{
		name:        "cache",
		title:       "Cache and context",
		description: "Effectiveness of the prompt cache, and size of contexts.",
		panels: []panel{
			{
				kind: stat, title: "Cache hit ratio", unit: ratio, width: 6, height: 4, noValue: "–", thresholds: hits,
				description: "Fraction of input tokens read from the cache, of at least ten requests. Below 70 % something invalidates the cache: pauses " +
					"longer than its lifetime, changing tools or instructions, or many short sessions.",
				targets: []query{{expr: hitRatio("", "$__range"), name: "Tokens"}},
			},
			{
				kind: stat, title: "Requests with a cache hit", unit: ratio, width: 6, height: 4, noValue: "–", thresholds: hits,
				description: "Fraction of at least ten requests with any cache read. High here with a low hit ratio means that only the " +
					"beginning of prompts is cached.",
				targets: []query{{expr: fraction("", `claude_cache_requests_total{result="hit"}`, `claude_cache_requests_total`), name: "Requests"}},
			},
			{
				kind: stat, title: "Reads per token written", unit: number, width: 6, height: 4, noValue: "–",
				description: "How often each token written to the cache was read. Writes cost more than input, reads much less, " +
					"how much depends on the model: the Cost dashboard has the savings and the premium in dollars. Below " +
					"one read per token the cache hardly pays off.",
				targets: []query{{
					expr: total("increase", "", "$__range", cachedInput) +
						` / (` + total("increase", "", "$__range", `claude_tokens_total{type=~"cache_write_.*"}`) + ` >= 1000)`,
					name: "Reads",
				}},
			},
			{
				kind: stat, title: "Compactions", unit: count, width: 6, height: 4, noValue: "–",
				description: "Compacted contexts. Automatic compaction runs when a context is full, and loses detail: start " +
					"new sessions for new tasks.",
				targets: []query{{expr: used("trigger", `claude_compactions_total`), name: "{{trigger}}"}},
			},
			{
				kind: timeSeries, title: "Cache hit ratio by model", unit: ratio, width: 12, height: 9, noValue: noValue, thresholds: hits, max: 1,
				description: "Fraction of input tokens read from the cache, of at least ten requests. A rarely used model always misses; a drop of all " +
					"models has an external cause, such as a new version of Claude Code.",
				targets: []query{{expr: hitRatio(modelName, "$__rate_interval"), name: "{{" + modelName + "}}"}},
			},
			{
				kind: timeSeries, title: "Cache hit ratio by project", unit: ratio, width: 12, height: 9, noValue: noValue, thresholds: hits, max: 1,
				description: "Fraction of input tokens read from the cache, of at least ten requests. A project that is always lower has changing tools " +
					"or instructions, or only short sessions.",
				targets: []query{{expr: hitRatio("project", "$__rate_interval"), name: "{{project}}"}},
			},
			{
				kind: increases, title: "Requests by cache result", unit: count, width: 12, height: 9, noValue: noValue,
				colors: colorMap{"hit": "green", "partial": "yellow", "miss": "orange", "uncached": "red"},
				description: "Requests by result: hit read from the cache, miss only wrote to it, uncached did neither. The " +
					"first request of a session and requests after a pause miss; more misses mean that the cache is " +
					"invalidated in between.",
				targets: []query{{expr: perStep("result", `claude_cache_requests_total`), name: "{{result}}"}},
			},
			{
				kind: increases, title: "Cache writes by lifetime", unit: tokens, width: 12, height: 9, noValue: "no cache writes", colors: ofTypes,
				description: "Tokens written to the cache with a lifetime of five minutes or one hour. One hour " +
					"costs more, and pays off where people take longer than five minutes to answer.",
				targets: []query{{expr: perStep("type", `claude_tokens_total{type=~"cache_write_.*"}`), name: "{{type}}"}},
			},
			{
				kind: timeSeries, title: "Largest contexts", unit: tokens, width: 8, height: 9, noValue: "no live sessions",
				description: "Tokens in the last request of a live session, the maximum per project. Near the limit of the " +
					"model (200 ktok up to Claude 4.6, then 1 Mtok) it will be compacted; until then every request costs that much.",
				targets: []query{{expr: `topk(10, max by (project) (claude_session_context_tokens))`, name: "{{project}}"}},
			},
			{
				kind: table, title: "Live sessions", unit: tokens, width: 16, height: 9, noValue: "no live sessions", labels: []string{"session", "project", modelName},
				description: "The largest contexts of live sessions. claude --resume with the id opens one; /compact or a new " +
					"session makes it cheap again.",
				targets: []query{{expr: `topk(50, max by (session, project, ` + modelName + `) (` + addModelName(`claude_session_context_tokens`) + `))`, name: "Context"}},
			},
			{
				kind: heatMap, title: "Context size at compaction", unit: tokens, width: 12, height: 9, noValue: "no compactions",
				description: "Number of compactions by context size. Automatic ones are at the limit of the model; those far " +
					"below were manual.",
				targets: []query{{expr: `sum by (le) (increase(claude_compaction_pre_tokens_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: increases, title: "Compactions by trigger", unit: count, width: 12, height: 9, noValue: "no compactions",
				description: "Compactions by trigger: auto when the context was full, manual by /compact. Frequent auto " +
					"compactions mean that sessions are longer than their tasks.",
				targets: []query{{expr: perStep("trigger", `claude_compactions_total`), name: "{{trigger}}"}},
			},
		},
	}
}
