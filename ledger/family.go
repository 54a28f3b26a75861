package ledger

import "cmp"

// A Type is the metric type of a family.
type Type int

// The types of families.
const (
	Counter Type = iota
	Gauge
	Histogram
)

// A Family describes the metrics of one name.
type Family struct {
	Name string
	// Formerly are its names in older versions, under which its series may have been
	// saved. A name is never reused for another family.
	Formerly []string
	Help     string
	// Caveat is what is known to be missing or biased, or how the numbers are measured:
	// sentences in Markdown for the documentation, which shows them after Help.
	Caveat string
	Type   Type
	// Labels are the names of its labels, without source labels.
	Labels []string
	// PerUnit is the number of stored units in the unit of Name: 1000 for stored
	// milliseconds and exposed seconds. Zero means 1.
	PerUnit uint64
	// Buckets are the upper bounds of a histogram, in the unit of Name.
	Buckets []float64
	// Priced families are exposed only with prices, see Options.
	Priced bool
	// Sourced families have the labels of the source of a line.
	Sourced bool
}

// Divisor converts stored numbers to the unit of the family. Dividing by 1000 is exact
// where multiplying by 0.001, which has no exact float, is not: 31869 ms are 31.869 s.
func (f *Family) Divisor() uint64 { return cmp.Or(f.PerUnit, 1) }

// InUnit converts a stored number to the unit of the family.
func (f *Family) InUnit(v uint64) float64 { return float64(v) / float64(f.Divisor()) }

// A familyID is the index of a family in the array that families returns.
type familyID int

const (
	tokens familyID = iota
	thinkingTokens
	requests
	cacheRequests
	cacheMisses
	cacheRewritten
	requestContext
	requestOutput
	serverToolRequests
	modeRequests
	serviceRequests
	entrypointRequests
	versionRangeRequests
	cost
	cacheSavings
	cacheWritePremium
	unpricedTokens
	toolCalls
	toolErrors
	toolDuration
	toolResultBytes
	compactions
	compactionPreTokens
	apiErrors
	apiRetries
	prompts
	commands
	queueOperations
	interruptions
	turnDuration
	turns
	turnSeconds
	turnRequests
	turnToolCalls
	sessions
	subagents
	linesChanged
	reportedTokens
	reportedCost
	reportedWebSearches
	reportedSessions
	reportedSeenTokens
	lastActivity
	readBytes
	lines
	lineErrors
	unknowns
	duplicates
	fileResets
	labelOverflow
	replacedTimes
	limitHits
	limitHitReset
	requestDuration
	requestFirstBlock
	requestTimedOutput
	requestTimedSeconds
	compactionDuration
	compactionSavedTokens
	sessionDuration
	sessionPromptCount
	sessionRequestCount
	hookRuns
	hookDuration
	commits
	pullRequests
	filesTouched
	backgroundTasks
	resultsWithoutCall
	subagentRuns
	subagentDuration
	subagentToolCalls
	subagentRequests
	subagentTokens
	subagentCost
	attributedRequests
	attributedTokens
	attributedCost
	skillCalls
	familyCount
)

const (
	milli = 1000
	nano  = 1e9
)

// families returns every family of the ledger.
func families() [familyCount]Family {
	seen := func(name, help string, labels ...string) Family {
		return Family{Name: "claude_" + name, Help: help, Labels: labels, Sourced: true}
	}
	own := func(name, help string, labels ...string) Family {
		return Family{Name: "ccwatchd_" + name, Help: help, Labels: labels}
	}
	histogram := func(f Family, perUnit uint64) Family {
		f.Type, f.PerUnit = Histogram, perUnit
		return f
	}
	dollars := func(f Family) Family {
		f.PerUnit = nano
		return f
	}
	priced := func(f Family) Family {
		f.Priced = true
		return f
	}
	seconds := func(f Family) Family {
		f.PerUnit = milli
		return f
	}
	caveat := func(f Family, text string) Family {
		f.Caveat = text
		return f
	}
	const (
		listPrice    = "An estimate, not part of the bill of a subscription."
		attributed   = "Stated by Claude Code 2.1.123 and later."
		sessionEnded = "Each session is observed once, when it has had no line for a day; what is added when it is resumed later is missing."
	)
	activity := seen("last_activity_timestamp_seconds", "Time of the newest line, in seconds since the epoch.", "project")
	activity.Type, activity.PerUnit = Gauge, milli
	hitReset := caveat(seen("limit_hit_reset_timestamp_seconds", "Latest time at which a usage limit that was reached resets, in seconds since the epoch.", "window"), "Errors that do not state a time are missing.")
	hitReset.Type, hitReset.PerUnit = Gauge, milli
	return [familyCount]Family{
		tokens:               caveat(seen("tokens_total", "Tokens of API messages, each message counted once.", "type", "model", "project", "agent"), "Cache writes without a stated lifetime count as `cache_write_5m`. Output is too low where Claude Code wrote placeholders: in versions 2.1.9 to 2.1.58, and in up to a fifth of the messages of sub-agents since."),
		thinkingTokens:       caveat(seen("thinking_tokens_total", "Thinking tokens, which are part of the output tokens.", "model", "project", "agent"), "Stated by Claude Code 2.1.220 and later."),
		requests:             caveat(seen("requests_total", "API responses, by stop reason.", "model", "project", "agent", "stop_reason"), "The stop reason is `none` if the transcript does not state one when the message is counted."),
		cacheRequests:        seen("cache_requests_total", "API responses, by use of the prompt cache: a hit read from it, a miss only wrote to it, uncached did neither.", "result", "model", "project", "agent"),
		cacheMisses:          caveat(seen("cache_misses_total", "API responses that only wrote to the prompt cache, by reason, each counted once.", "reason", "project", "agent"), "The reason is what came before them in the same conversation of the transcript."),
		cacheRewritten:       caveat(seen("cache_rewritten_tokens_total", "Tokens written to the prompt cache again by misses, by reason.", "reason", "project", "agent"), "At most the tokens that the request before had in the cache. A cold start rewrites nothing."),
		requestContext:       histogram(caveat(seen("request_context_tokens", "Tokens sent with an API request: input, cache reads and cache writes.", "model"), "Messages that state none are missing."), 1),
		requestOutput:        histogram(caveat(seen("request_output_tokens", "Output tokens of an API response, if its transcript states how it ended.", "model"), "Messages without a stop reason are missing, because many of them have placeholders: most messages of versions up to 2.1.58, and up to a fifth of those of sub-agents since."), 1),
		serverToolRequests:   seen("server_tool_requests_total", "Requests to tools that run on the server, as stated in the usage of API messages.", "tool", "model"),
		modeRequests:         caveat(seen("requests_by_mode_total", "API responses, by permission mode and effort.", "permission_mode", "effort"), "`unknown` where the transcript does not state them, as in most transcripts of sub-agents and before Claude Code 2.1.16 (mode) and 2.1.212 (effort)."),
		serviceRequests:      seen("requests_by_service_total", "API responses, by service tier and speed as stated in their usage.", "service_tier", "speed"),
		entrypointRequests:   caveat(seen("requests_by_entrypoint_total", "API responses, by how Claude Code was started.", "entrypoint"), "`unknown` before Claude Code 2.1.78."),
		versionRangeRequests: caveat(seen("requests_by_version_range_total", "API responses, by range of versions of Claude Code that write usage in the same way.", "version_range"), "Versions 2.1.9 to 2.1.58 wrote placeholders instead of most output token counts."),
		cost:                 priced(dollars(caveat(seen("cost_usd_total", "Estimated cost of API messages in US dollars by list price, not the bill of a subscription.", "component", "model", "project", "agent"), "Each message is priced by the prices of its own day; later price changes do not alter what was counted."))),
		cacheSavings:         priced(dollars(caveat(seen("cache_savings_usd_total", "Amount in US dollars by which tokens read from the prompt cache are cheaper than as input, by list price.", "model", "project", "agent"), listPrice))),
		cacheWritePremium:    priced(dollars(caveat(seen("cache_write_premium_usd_total", "Amount in US dollars by which tokens written to the prompt cache cost more than as input, by list price.", "model", "project", "agent"), listPrice))),
		unpricedTokens:       priced(seen("unpriced_tokens_total", "Tokens of models without a known price, which are missing in claude_cost_usd_total.", "model")),
		toolCalls:            caveat(seen("tool_calls_total", "Tool calls, each id counted once.", "tool", "mcp_server", "project", "agent"), "`mcp_server` is empty for built-in tools."),
		toolErrors:           caveat(seen("tool_errors_total", "Tool results marked as errors, by reason.", "tool", "mcp_server", "reason", "project", "agent"), "The tool is `unknown` if its call was not found."),
		toolDuration:         histogram(seen("tool_duration_seconds", "Time from a tool call to its result, including the time spent waiting for a permission or an answer.", "tool", "mcp_server"), milli),
		toolResultBytes:      seen("tool_result_bytes_total", "Bytes that tools added to the context: text, and encoded images and documents.", "tool", "mcp_server"),
		compactions:          seen("compactions_total", "Compactions of the context, without micro-compactions.", "trigger", "project", "agent"),
		compactionPreTokens:  histogram(seen("compaction_pre_tokens", "Tokens in the context before a compaction.", "trigger"), 1),
		apiErrors:            caveat(seen("api_errors_total", "API errors shown to the user after the retries of the client.", "error", "status"), "`status` is empty if none is stated."),
		apiRetries:           caveat(seen("api_retries_total", "Retries of API requests by the client.", "status"), "Not every version of Claude Code records them."),
		prompts:              seen("prompts_total", "Prompts sent by a person or a program, each counted once, including those repeated in forks.", "kind", "project"),
		commands:             caveat(seen("commands_total", "Slash commands.", "command", "project"), "A command that is neither built in nor allowed by the configuration is `custom`."),
		queueOperations:      seen("queue_operations_total", "Operations on the queue of messages and notifications that arrive while Claude works.", "operation"),
		interruptions:        caveat(seen("interruptions_total", "Interruptions by the user.", "project", "agent"), "One key press can interrupt the main agent and its sub-agents."),
		turnDuration:         histogram(caveat(seen("turn_duration_seconds", "Duration of the turns for which Claude Code states it."), "Biased: it states only turns of more than 30 seconds in versions 2.1.1 to 2.1.122, and only those of interactive sessions today. `claude_turn_seconds` covers all turns."), milli),
		turns:                seen("turns_total", "Turns: prompts and the answers of the main conversation to them, each counted once, when its answer ends.", "project"),
		turnSeconds:          histogram(seen("turn_seconds", "Time from a prompt to the last line of the answer, including tools, sub-agents and waiting for permissions."), milli),
		turnRequests:         histogram(seen("turn_requests", "API responses of the main conversation in a turn."), 1),
		turnToolCalls:        histogram(seen("turn_tool_calls", "Tool calls of the main conversation in a turn."), 1),
		sessions:             seen("sessions_total", "Sessions with at least one line of dialogue.", "project"),
		subagents:            seen("subagents_total", "Sub-agent transcripts with at least one line of dialogue.", "kind", "project"),
		linesChanged:         caveat(seen("lines_changed_total", "Lines added and removed by edit tools.", "change", "project"), "From results that contain a patch; most results of sub-agents do not."),
		reportedTokens:       caveat(seen("reported_tokens_total", "Tokens of sessions and their sub-agents as Claude Code reported them in cost-state lines.", "model", "type"), "Claude Code mostly writes these lines at the end of interactive sessions."),
		reportedCost:         dollars(seen("reported_cost_usd_total", "Cost of sessions in US dollars as Claude Code estimated it in cost-state lines, not the bill of a subscription.", "model")),
		reportedWebSearches:  seen("reported_web_searches_total", "Web searches of sessions as Claude Code reported them in cost-state lines.", "model"),
		reportedSessions:     seen("reported_sessions_total", "Sessions with a cost-state line."),
		reportedSeenTokens:   caveat(seen("reported_seen_tokens_total", "Tokens counted from the transcripts of sessions with a cost-state line, including sub-agents.", "type"), "Divided by `claude_reported_tokens_total`, they are the share of usage that the transcripts contain."),
		lastActivity:         activity,
		readBytes:            own("read_bytes_total", "Number of transcript bytes read, up to the last complete line."),
		lines:                own("lines_total", "Number of entries read, by type, including copies.", "type"),
		lineErrors:           caveat(own("line_errors_total", "Number of lines that are not exactly one JSON object, by reason.", "reason"), "Recoverable parts of them are counted."),
		unknowns:             caveat(own("unknown_format_total", "Number of entries with elements unknown to this version, by kind.", "kind"), "`metadata_type` and `subtype` are normal with a newer Claude Code; with other kinds, counters may be incomplete."),
		duplicates:           own("duplicates_total", "Number of entries or parts of them that were already counted, by kind.", "kind"),
		fileResets:           own("file_resets_total", "Number of times that a file was read again from the beginning, by reason.", "reason"),
		replacedTimes:        caveat(own("replaced_times_total", "Number of lines counted at the time at which they were read, by reason.", "reason"), "Their own time is missing (of prompts and answers only), in the future, or `before_2020`."),
		limitHits:            caveat(seen("limit_hits_total", "Usage limits reached, each window counted once, whatever the number of refused requests.", "window"), "Errors that do not state when the window ends count once a day."),
		limitHitReset:        hitReset,
		hookRuns:             caveat(seen("hook_runs_total", "Runs of hooks, by event and outcome.", "event", "outcome"), "Transcripts state those at the end of a turn (Claude Code 2.0.64 and later), and others with output or an error (2.1.92 and later). An `error` does not affect what the hook ran for, unlike `blocking`."),
		hookDuration:         histogram(caveat(seen("hook_duration_seconds", "Duration of hook runs.", "event"), "Runs without a stated duration are missing."), milli),
		commits:              caveat(seen("commits_total", "Git commits that results of tools state, each hash counted once.", "project"), "Stated by Claude Code 2.1.156 and later, except in most sub-agents."),
		pullRequests:         seen("pull_requests_total", "Pull requests that sessions are linked to, each URL counted once.", "project"),
		filesTouched:         caveat(seen("files_touched_total", "Files that tools were called with, each file of a session counted once for each operation.", "operation", "project"), "Includes files of calls that failed."),
		backgroundTasks:      seen("background_tasks_total", "Background work that tools started, by kind: shell commands, agents and monitors.", "kind"),
		resultsWithoutCall:   seen("tool_results_without_call_total", "Tool results whose call was not found when their file had been quiet for ten minutes."),
		subagentRuns:         caveat(seen("subagent_runs_total", "Runs of sub-agents that ended, by type and outcome.", "type", "outcome"), "From the transcripts of `claude_subagents_total`. A run is `unfinished` if its transcript ends without an answer and was not continued for a day."),
		subagentDuration:     histogram(caveat(seen("subagent_duration_seconds", "Time from the first to the last line of a run of a sub-agent.", "type"), "Runs that begin with a copy of their session are missing."), milli),
		subagentToolCalls:    seen("subagent_tool_calls_total", "Tool calls of sub-agents, by type of the sub-agent.", "type"),
		subagentRequests:     seen("subagent_requests_total", "API responses of sub-agents, by type of the sub-agent.", "type"),
		subagentTokens:       seen("subagent_tokens_total", "Tokens of sub-agents, by type of the sub-agent: input, output, cache reads and cache writes together.", "type", "model"),
		subagentCost:         priced(dollars(caveat(seen("subagent_cost_usd_total", "Estimated cost of sub-agents in US dollars by list price, by type of the sub-agent.", "type", "model"), "The part of `claude_cost_usd_total` with the agent `subagent`."))),
		attributedRequests:   caveat(seen("attributed_requests_total", "API responses that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"), attributed),
		attributedTokens:     caveat(seen("attributed_tokens_total", "Tokens that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"), "Input, output, cache reads and cache writes together. "+attributed),
		attributedCost:       priced(dollars(caveat(seen("attributed_cost_usd_total", "Estimated cost in US dollars by list price that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"), "Part of `claude_cost_usd_total`. "+attributed))),
		skillCalls:           caveat(seen("skill_calls_total", "Calls of the tool Skill, by skill.", "skill"), "A skill that is neither bundled nor allowed by the configuration is `custom`."),
		labelOverflow:        own("label_overflow_total", "Number of times that a label value was replaced by other because the label has too many values, by label.", "label"),

		requestDuration:       histogram(caveat(seen("request_duration_seconds", "Time from the line that caused an API request, such as a prompt or tool result, to the last line of the response.", "model"), "Derived from the times of lines, so it includes hooks, retries and other work of Claude Code in between."), milli),
		requestFirstBlock:     histogram(caveat(seen("request_first_block_seconds", "Time from the line that caused an API request to the first line of the response.", "model"), "Derived from the times of lines: the first complete content block, not the first token."), milli),
		requestTimedOutput:    caveat(seen("request_timed_output_tokens_total", "Output tokens of the API responses in claude_request_timed_seconds_total.", "model"), "Divided by it, they are the output speed in tokens per second, derived from the times of lines."),
		requestTimedSeconds:   seconds(caveat(seen("request_timed_seconds_total", "Duration in seconds of API requests whose stop reason is stated.", "model"), "Derived from the times of lines. Responses without a stop reason are missing, because their output tokens can be placeholders.")),
		compactionDuration:    histogram(caveat(seen("compaction_duration_seconds", "Duration of compactions of the context as Claude Code states it.", "trigger"), "Stated by Claude Code 2.1.105 and later, not derived from the times of lines."), milli),
		compactionSavedTokens: caveat(seen("compaction_saved_tokens_total", "Tokens by which compactions made the context smaller.", "trigger"), "Only compactions of which Claude Code states the size before and after (2.1.105 and later)."),
		sessionDuration:       histogram(caveat(seen("session_duration_seconds", "Time from the first to the last line of a session, including pauses."), "Derived from the times of lines. "+sessionEnded), milli),
		sessionPromptCount:    histogram(caveat(seen("session_prompts", "Prompts in a session, without those copied from another session."), sessionEnded), 1),
		sessionRequestCount:   histogram(caveat(seen("session_requests", "API responses in a session and its sub-agents, without those copied from another session."), sessionEnded), 1),
	}
}

// Families returns every family of the ledger, with the buckets of the options.
func Families(o Options) []Family {
	all := families()
	for i := range all {
		all[i].Buckets = o.Buckets[all[i].Name]
	}
	return all[:]
}
