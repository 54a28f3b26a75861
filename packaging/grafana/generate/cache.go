package main

// hits are the levels of the share that comes from the cache.
var hits = levels{colors: []string{"red", "yellow", "green"}, at: []float64{0.7, 0.85}}

// cache is what decides on the cost: how much of each prompt is read from the
// cache, and how long the prompts are.
func cache() board {
	const none = "no requests in this time"
	return board{
		name:  "cache",
		title: "Cache and context",
		about: "Whether the prompt cache does its work, and how full the contexts are.",
		panels: []panel{
			{
				kind: numbers, title: "Prompt from the cache", unit: ratio, width: 6, tall: 5, none: none, good: hits,
				about: "Share of the tokens sent that came from the cache, in the chosen time. Below 70 % something breaks the cache: pauses longer than its " +
					"lifetime, changed tools or instructions, or many short sessions.",
				ask: []query{{expr: hitRatio("", "$__range"), name: "Tokens"}},
			},
			{
				kind: numbers, title: "Requests that hit", unit: ratio, width: 6, tall: 5, none: none, good: hits,
				about: "Share of the requests that found anything in the cache. High here and low beside it means that only the beginning of the prompts is found.",
				ask:   []query{{expr: share("", "$__range", `claude_cache_requests_total{result="hit"}`, `claude_cache_requests_total`), name: "Requests"}},
			},
			{
				kind: numbers, title: "Reads for each token written", unit: number, width: 6, tall: 5, none: "nothing was written in this time",
				about: "How often a token that was written to the cache was read from it. Writing costs a quarter more than input (twice as much for an hour), reading a tenth: " +
					"at less than one read the cache costs more than it saves.",
				ask: []query{{
					expr: total("increase", "", "$__range", `claude_tokens_total{type="cache_read"}`) +
						` / (` + total("increase", "", "$__range", `claude_tokens_total{type=~"cache_write_.*"}`) + ` > 0)`,
					name: "Reads",
				}},
			},
			{
				kind: numbers, title: "Compactions", unit: count, width: 6, tall: 5, none: "none in this time",
				about: "How often a context was compacted. Automatic ones come when it is full and lose detail: begin new sessions for new tasks.",
				ask:   []query{{expr: grown("trigger", `claude_compactions_total`), name: "{{trigger}}"}},
			},
			{
				kind: lines, title: "Prompt from the cache, by model", unit: ratio, width: 12, tall: 8, none: none, good: hits, whole: true,
				about: "Share of the tokens sent that came from the cache. A model that is asked now and then never finds its cache; a fall of all at once has a " +
					"cause outside, such as a new version of Claude Code.",
				ask: []query{{expr: hitRatio("model", "$__rate_interval"), name: "{{model}}"}},
			},
			{
				kind: lines, title: "Prompt from the cache, by project", unit: ratio, width: 12, tall: 8, none: none, good: hits, whole: true,
				about: "The same by project. One that is always lower has tools or instructions that change, or only short sessions.",
				ask:   []query{{expr: hitRatio("project", "$__rate_interval"), name: "{{project}}"}},
			},
			{
				kind: stacked, title: "Requests by what the cache did", unit: perHour, width: 12, tall: 8, none: none,
				paint: colors{"hit": "green", "miss": "orange", "uncached": "red"},
				about: "Requests an hour: hit read from the cache, miss only wrote to it, uncached did neither. Misses belong to the first request of a session and after " +
					"a pause; more of them mean that the cache is lost on the way.",
				ask: []query{{expr: `3600 * ` + total("rate", "result", "$__rate_interval", `claude_cache_requests_total`), name: "{{result}}"}},
			},
			{
				kind: stacked, title: "Cache writes by lifetime", unit: tokensMin, width: 12, tall: 8, none: "nothing was written in this time", paint: ofTypes,
				about: "Tokens a minute written to the cache for five minutes or an hour. The hour costs more and is worth it where people " +
					"take longer than five minutes to answer.",
				ask: []query{{expr: `60 * ` + total("rate", "type", "$__rate_interval", `claude_tokens_total{type=~"cache_write_.*"}`), name: "{{type}}"}},
			},
			{
				kind: lines, title: "Fullest contexts", unit: tokens, width: 9, tall: 8, none: "no session was live in this time",
				about: "Tokens that the last request of a live session sent: the fullest of each project. Near the limit of the model (mostly 200 ktok) it is compacted " +
					"next; everything it sends until then costs as much as the line is high.",
				ask: []query{{expr: `topk(10, max by (project) (claude_session_context_tokens))`, name: "{{project}}"}},
			},
			{
				kind: list, title: "Live sessions", unit: tokens, width: 15, tall: 8, none: "no session is live now", rows: []string{"session", "project", "model"},
				about: "The fullest contexts among the sessions that are live now. claude --resume with the id leads to one; /compact or a new session makes it cheap again.",
				ask:   []query{{expr: `topk(50, max by (session, project, model) (claude_session_context_tokens))`, name: "Context"}},
			},
			{
				kind: heat, title: "Context when it was compacted", unit: tokens, width: 12, tall: 8, none: "no compaction in this time",
				about: "How many compactions began with how many tokens. Automatic ones stand at the limit of the model; those far below were asked for.",
				ask:   []query{{expr: `sum by (le) (increase(claude_compaction_pre_tokens_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: events, title: "Compactions by trigger", unit: perHour, width: 12, tall: 8, none: "no compaction in this time",
				about: "Compactions an hour: auto when the context was full, manual by /compact. Often auto means that sessions are longer than their tasks.",
				ask:   []query{{expr: `3600 * ` + total("rate", "trigger", "$__rate_interval", `claude_compactions_total`), name: "{{trigger}}"}},
			},
		},
	}
}
