package ledger

// A Type says how a family's values behave.
type Type int

// The types of families.
const (
	Counter Type = iota
	Gauge
	Histogram
)

// A Family describes metrics of one name.
type Family struct {
	Name string
	// Formerly are the names that it had in older versions, under which its series
	// may have been saved. A name is never used again for something else.
	Formerly []string
	Help     string
	Type     Type
	// Labels are the names of its labels, without those of the sources.
	Labels []string
	// Scale turns a stored number into the unit of Name: 0.001 where
	// milliseconds are stored and seconds are shown. Zero means 1.
	Scale float64
	// Buckets are the upper bounds of a histogram, in the unit of Name.
	Buckets []float64
	// Sourced families carry the labels of the source that a line came from.
	Sourced bool
}

func (f *Family) scale() float64 {
	if f.Scale == 0 {
		return 1
	}
	return f.Scale
}

// A familyID is a family's place in the list that families returns.
type familyID int

const (
	tokens familyID = iota
	thinkingTokens
	requests
	cacheRequests
	serverToolRequests
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
	familyCount
)

const (
	placeholders = " Claude Code 2.1.9 to 2.1.58 wrote placeholders instead of output counts, and so do up to a fifth of the sub-agents' messages since: there, output is too low."
	milli        = 0.001
	nano         = 1e-9
)

// families lists every family that the ledger adds to.
func families() [familyCount]Family {
	seen := func(name, help string, labels ...string) Family {
		return Family{Name: "claude_" + name, Help: help, Labels: labels, Sourced: true}
	}
	own := func(name, help string, labels ...string) Family {
		return Family{Name: "ccwatchd_" + name, Help: help, Labels: labels}
	}
	histogram := func(f Family, scale float64) Family {
		f.Type, f.Scale = Histogram, scale
		return f
	}
	cost := seen("reported_cost_usd_total", "Cost of sessions in US dollars as Claude Code itself estimated it, from cost-state lines.", "model")
	cost.Scale = nano
	activity := seen("last_activity_timestamp_seconds", "Time of the newest line, in seconds since the epoch.", "project")
	activity.Type, activity.Scale = Gauge, milli
	return [familyCount]Family{
		tokens:              seen("tokens_total", "Tokens of API messages, each message once whatever the number of lines and files that repeat it; cache writes without a stated lifetime count as 5m."+placeholders, "type", "model", "project", "agent"),
		thinkingTokens:      seen("thinking_tokens_total", "Thinking tokens, a part of the output tokens, where the line states them (Claude Code 2.1.220 and later).", "model", "project", "agent"),
		requests:            seen("requests_total", "API messages by the reason why they ended; none means that it had not been written when the message was counted.", "model", "project", "agent", "stop_reason"),
		cacheRequests:       seen("cache_requests_total", "API messages by what they did with the prompt cache: hit read from it, miss only wrote to it, uncached did neither.", "result", "model", "project", "agent"),
		serverToolRequests:  seen("server_tool_requests_total", "Requests of tools that run on the server, as the usage of API messages states them.", "tool", "model"),
		toolCalls:           seen("tool_calls_total", "Tool calls, each id once; mcp_server is empty for tools that are built in.", "tool", "mcp_server", "project", "agent"),
		toolErrors:          seen("tool_errors_total", "Tool results marked as errors, by the reason that their text gives; a result whose call was never seen has the tool unknown.", "tool", "mcp_server", "reason", "project", "agent"),
		toolDuration:        histogram(seen("tool_duration_seconds", "Time from a tool's call to its result, with the wait for a permission or an answer in it.", "tool", "mcp_server"), milli),
		toolResultBytes:     seen("tool_result_bytes_total", "Bytes of text, and of images and documents as they are encoded, that tools put into the context.", "tool", "mcp_server"),
		compactions:         seen("compactions_total", "Compactions of the context; micro-compactions are not among them.", "trigger", "project", "agent"),
		compactionPreTokens: histogram(seen("compaction_pre_tokens", "Tokens in the context when it was compacted.", "trigger"), 1),
		apiErrors:           seen("api_errors_total", "API errors shown to the user, after the client's own retries; the status is empty where none is stated.", "error", "status"),
		apiRetries:          seen("api_retries_total", "Retries of API requests by the client, as far as its version writes them.", "status"),
		prompts:             seen("prompts_total", "Prompts that a person or a program sent, each once whatever the number of forks that repeat it.", "kind", "project"),
		commands:            seen("commands_total", "Slash commands; those that are neither built in nor allowed by the configuration are custom.", "command", "project"),
		queueOperations:     seen("queue_operations_total", "Operations on the queue of messages and notifications that arrive while Claude works.", "operation"),
		interruptions:       seen("interruptions_total", "Interruptions by the user; one key press can stop the main agent and its sub-agents.", "project", "agent"),
		turnDuration:        histogram(seen("turn_duration_seconds", "Duration of finished turns (Claude Code 2.1.1 and later).", "project"), milli),
		sessions:            seen("sessions_total", "Sessions with at least one line of dialogue.", "project"),
		subagents:           seen("subagents_total", "Transcripts of sub-agents with at least one line of dialogue.", "kind", "project"),
		linesChanged:        seen("lines_changed_total", "Lines added and removed by the edit tools, where the result states a patch; most results of sub-agents do not.", "change", "project"),
		reportedTokens:      seen("reported_tokens_total", "Tokens of sessions as Claude Code itself reported them in cost-state lines, mostly at the end of interactive sessions; sub-agents included.", "model", "type"),
		reportedCost:        cost,
		reportedWebSearches: seen("reported_web_searches_total", "Web searches of sessions as Claude Code itself reported them in cost-state lines.", "model"),
		reportedSessions:    seen("reported_sessions_total", "Sessions with a cost-state line."),
		reportedSeenTokens:  seen("reported_seen_tokens_total", "Tokens counted from the transcripts of the sessions with a cost-state line, sub-agents included; divided by claude_reported_tokens_total this is the share of usage that the transcripts contain.", "type"),
		lastActivity:        activity,
		readBytes:           own("read_bytes_total", "Number of transcript bytes read, up to the last complete line."),
		lines:               own("lines_total", "Number of entries read, by type, including copies.", "type"),
		lineErrors:          own("line_errors_total", "Number of lines that are not exactly one JSON object, by reason. Recoverable parts of them are counted.", "reason"),
		unknowns:            own("unknown_format_total", "Number of entries with something that this version does not know, by kind. metadata_type and subtype are ordinary with a newer Claude Code; every other kind may be something that should be counted and is not.", "kind"),
		duplicates:          own("duplicates_total", "Number of entries or parts of them that were already counted, by kind.", "kind"),
		fileResets:          own("file_resets_total", "Number of times that a file was read again from the beginning, by reason.", "reason"),
		labelOverflow:       own("label_overflow_total", "Number of times that a label value was replaced by other because the label has too many values, by label.", "label"),
	}
}

// Families describes every family of the ledger, as New with the same options
// would fill it.
func Families(o Options) []Family {
	all := families()
	for i := range all {
		all[i].Buckets = o.Buckets[all[i].Name]
	}
	return all[:]
}
