package main

import "slices"

// requestsBoard shows requests: reasons of cache misses, sizes, times and attributes.
func requestsBoard() board {
	const (
		noValue = "no requests"
		misses  = `claude_cache_misses_total`
		again   = `claude_cache_rewritten_tokens_total`
		extra   = `claude_cache_rewritten_cost_usd_total`
		fast    = `claude_fast_mode_premium_usd_total`
		saved   = `claude_compaction_saved_tokens_total`
		longer  = `claude_request_duration_seconds_bucket`
		first   = `claude_request_first_block_seconds_bucket`
		context = `claude_request_context_tokens_bucket`
		answer  = `claude_request_output_tokens_bucket`
	)
	return board{
		name:        "requests",
		title:       "Requests",
		description: "Sizes, durations and cache misses of API requests, and how they are made.",
		panels: []panel{
			{
				kind: stat, title: "Totals", unit: count, width: 24, height: 4, noValue: "–",
				description: "Requests, those that missed the cache or whose answer broke off, tokens written to the cache again and what that costs more than reading " +
					"them, what fast mode costs more, thinking tokens, the p50 of the time to the first block of an answer and to its end, the output speed, and tokens that " +
					"compactions removed. Times are those of lines in transcripts.",
				targets: []query{
					{expr: increase("", `claude_requests_total`), name: "Requests"},
					{expr: increaseOrZero(misses), name: "Cache misses"},
					{expr: increaseOrZero(`claude_incomplete_responses_total`), name: "Broken off"},
					{expr: increaseOrZero(again), name: "Written again", unit: tokens},
					{expr: increaseOrZero(extra), name: "Written again", unit: usd},
					{expr: increaseOrZero(fast), name: "Fast mode", unit: usd},
					{expr: increaseOrZero(`claude_thinking_tokens_total`), name: "Thinking", unit: tokens},
					{expr: quantile("p50", "", "$__range", first), name: "First block (p50)", unit: seconds},
					{expr: quantile("p50", "", "$__range", longer), name: "Duration (p50)", unit: seconds},
					{expr: speed("", "$__range"), name: "Output speed", unit: tokensSec},
					{expr: increaseOrZero(saved), name: "Compacted", unit: tokens},
				},
			},
			{
				kind: increases, title: "Cache misses by reason", unit: count, width: 8, height: 9, noValue: "no cache misses",
				description: "Requests that only wrote to the cache, by reason. idle_expired: the pause was longer than the " +
					"lifetime of the cache. system_changed and tools_changed: Claude Code states that the system prompt or the " +
					"tools changed, such as those of MCP servers that come and go. model_change and after_compaction can be " +
					"avoided: change models and compact between tasks. unexplained: noValue of these is known.",
				targets: []query{{expr: perStep("reason", misses), name: "{{reason}}"}},
			},
			{
				kind: increases, title: "Tokens written to the cache again", unit: tokens, width: 8, height: 9, noValue: "no cache misses",
				description: "Tokens that were in the cache before and had to be written again, by reason of the miss. They cost " +
					"more than ten times as much as a read.",
				targets: []query{{expr: perStep("reason", again), name: "{{reason}}"}},
			},
			{
				kind: increases, title: "Cost of writing to the cache again", unit: usd, width: 8, height: 9, noValue: "no cache misses",
				description: estimate + "What tokens written to the cache again cost more than reading them, by reason of the miss.",
				targets:     []query{{expr: perStep("reason", extra), name: "{{reason}}"}},
			},
			{
				kind: table, title: "Models", unit: seconds, width: 24, height: 9, noValue: noValue, labels: []string{modelName},
				description: "Percentiles of the time to the end and to the first block of an answer, output speed, and percentiles of what " +
					"requests send and answers contain, by model. The duration includes hooks, retries and other work of " +
					"Claude Code in between.",
				targets: slices.Concat(
					quantiles("Duration ", modelName, "$__range", longer, seconds),
					quantiles("First block ", modelName, "$__range", first, seconds, "p50", "p95"),
					[]query{{expr: speed(modelName, "$__range"), name: "Speed", unit: tokensSec}},
					quantiles("Context ", modelName, "$__range", context, tokens, "p50", "p95"),
					quantiles("Output ", modelName, "$__range", answer, tokens, "p50"),
				),
			},
			{
				kind: timeSeries, title: "Request duration", unit: plainSecs, width: 12, height: 9, noValue: noValue,
				description: "Percentiles of the time to the first block of an answer, which is not its first token, and to its end. If " +
					"both rise, the API is slow; if only the end does, answers are longer.",
				targets: append(
					quantiles("first block ", "", "$__rate_interval", first, "", "p50", "p95"),
					quantiles("duration ", "", "$__rate_interval", longer, "", "p50", "p95")...,
				),
			},
			{
				kind: timeSeries, title: "Output speed by model", unit: tokensSec, width: 12, height: 9, noValue: noValue, spanNulls: true,
				description: "Output tokens divided by the duration of the same requests, of at least ten, which includes the time to the first token. Fast " +
					"mode and smaller models are faster; if all models become slower, the API is slow.",
				targets: []query{{expr: speed(modelName, "$__rate_interval"), name: "{{" + modelName + "}}"}},
			},
			{
				kind: heatMap, title: "Context size", unit: tokens, width: 12, height: 9, noValue: noValue,
				description: "Number of requests by what they sent: input, cache reads and cache writes. Large contexts make every request " +
					"more expensive: start a new session for a new task.",
				targets: []query{{expr: `sum by (le) (increase(claude_request_context_tokens_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: heatMap, title: "Output size", unit: tokens, width: 12, height: 9, noValue: noValue,
				description: "Number of answers by output tokens, if their transcript states how they ended. Small ones " +
					"are mostly single tool calls, such as those of agents that search.",
				targets: []query{{expr: `sum by (le) (increase(claude_request_output_tokens_bucket[$__rate_interval]))`, name: "{{le}}"}},
			},
			{
				kind: table, title: "Compactions", unit: count, width: 12, height: 7, noValue: "no compactions", labels: []string{"trigger"},
				description: "Compactions by trigger, tokens that they removed from the context, and percentiles of their durations, as " +
					"Claude Code states them. Work waits for an automatic one; compact between two tasks instead.",
				targets: slices.Concat([]query{
					{expr: used("trigger", `claude_compactions_total`), name: "Number"},
					{expr: used("trigger", saved), name: "Removed", unit: tokens},
				}, quantiles("Duration ", "trigger", "$__range", `claude_compaction_duration_seconds_bucket`, seconds)),
			},
			{
				kind: table, title: "Modes", unit: count, width: 12, height: 7, noValue: noValue, labels: []string{"permission_mode", "effort"},
				description: "Requests by permission mode and effort. unknown is not stated, as in sub-agents and older versions. If " +
					"bypassPermissions is frequent outside of containers, talk to its users.",
				targets: []query{{expr: used("permission_mode, effort", `claude_requests_by_mode_total`), name: "Requests"}},
			},
			{
				kind: table, title: "Services", unit: count, width: 8, height: 7, noValue: noValue, labels: []string{"service_tier", "speed"},
				description: "Requests by service tier and speed, as the API states them. fast is fast mode, which costs more.",
				targets:     []query{{expr: used("service_tier, speed", `claude_requests_by_service_total`), name: "Requests"}},
			},
			{
				kind: table, title: "Entry points", unit: count, width: 8, height: 7, noValue: noValue, labels: []string{"entrypoint"},
				description: estimate + "Requests, tokens of all kinds and cost by how Claude Code was started: in a terminal, by an " +
					"editor, by a program. A program that runs unattended can exceed a budget unnoticed.",
				targets: []query{
					{expr: used("entrypoint", `claude_requests_by_entrypoint_total`), name: "Requests"},
					{expr: used("entrypoint", `claude_entrypoint_tokens_total`), name: "Tokens", unit: tokens},
					{expr: positive(total("increase", "entrypoint", "$__range", `claude_entrypoint_cost_usd_total`)), name: "Cost", unit: usd},
				},
			},
			{
				kind: table, title: "Version ranges", unit: count, width: 8, height: 7, noValue: noValue, labels: []string{"version_range"},
				description: "Requests by the range of versions that write usage in the same way. In 2.1.8 to 2.1.58 most output counts " +
					"are placeholders and too low: update.",
				targets: []query{{expr: used("version_range", `claude_requests_by_version_range_total`), name: "Requests"}},
			},
			{
				kind: stat, title: "Sessions that ended", unit: number, width: 16, height: 6, noValue: "–",
				description: "p50 and p95 of sessions that have had no line for a day: from the first to the last line, including pauses, " +
					"their prompts, and their requests including those of sub-agents.",
				targets: slices.Concat(
					quantiles("Duration ", "", "$__range", `claude_session_duration_seconds_bucket`, seconds, "p50", "p95"),
					quantiles("Prompts ", "", "$__range", `claude_session_prompts_bucket`, "", "p50", "p95"),
					quantiles("Requests ", "", "$__range", `claude_session_requests_bucket`, "", "p50", "p95"),
				),
			},
			{
				kind: table, title: "Versions", unit: count, width: 8, height: 6, noValue: noValue, labels: []string{"version"},
				description: "Versions of Claude Code in use within thirty days, and the number of daemons, or of their sources, that saw " +
					"each. Old versions lack much of what this dashboard shows.",
				targets: []query{{expr: `count by (version) (claude_version_info)`, name: "Seen by"}},
			},
		},
	}
}

// speed is the number of output tokens per second of requests whose duration is known,
// if there are enough.
func speed(by, window string) string {
	return total("rate", by, window, `claude_request_timed_output_tokens_total`) +
		` / (` + total("rate", by, window, `claude_request_timed_seconds_total`) +
		` > 0 and ` + total("increase", by, window, `claude_requests_total`) + ` >= ` + enough + `)`
}
