package transcript

// An Entry is what one JSON object of a transcript says, as far as anything
// is counted from it. It holds no text of a conversation; ids are digests,
// except SessionID and CWD, which never leave the process's memory.
type Entry struct {
	// Type is the object's "type" if it is one of Types, else Unknown.
	Type string
	// UUID digests the object's "uuid" where something is counted by that; zero
	// when there is none (see Identify) and when nothing is.
	UUID Key
	// Time is the object's "timestamp" in milliseconds since the epoch, 0 when
	// there is none that can be read.
	Time int64
	// SessionID is the object's "sessionId" as written.
	SessionID string
	// Session digests SessionID; zero when there is none.
	Session Key
	// CWD is the working directory that the object names, as written.
	CWD string
	// Project and Command are labels that the reader of the file derives from
	// CWD and from Prompt.Name by its configuration; decoding leaves them empty.
	Project, Command string
	// Placed says that Project was derived, be it empty. An entry that is not
	// placed belongs to the project of the one before it.
	HasProject bool
	// Sidechain is "isSidechain" being exactly true.
	Sidechain bool

	Message    *Message
	Uses       []ToolUse
	Results    []ToolResult
	Prompt     *Prompt
	APIError   *APIError
	Retry      *Retry
	Compaction *Compaction
	Turn       *Turn
	// QueueOperation is enqueue, dequeue, remove or other on a "queue-operation"
	// entry that names its operation, else empty.
	QueueOperation string
	// QueueKey digests session, timestamp and operation of a "queue-operation"
	// entry, as written. Several operations within a millisecond have the same key.
	QueueKey Key
	// Reported holds the totals of a "cost-state" entry, one element per model.
	Reported []ReportedUsage
	// Warmup is true on a "user" entry whose first block is exactly the text
	// "Warmup": the request by which Claude Code warmed a sub-agent's cache.
	Warmup bool
	// Unknown lists what the entry holds that this version does not know, each name
	// once and at most eight of a kind.
	Unknown []UnknownItem
}

// entry fills in the entry of the record that was read.
func (p *Parser) entry(e *Entry, to *Buffer) {
	r := &p.raw
	stamp := p.text(r.timestamp)
	e.Time = parseTime(stamp)
	e.Type = p.typeOf(r.typ)
	e.SessionID, e.Session = p.session(r.sessionID)
	e.CWD = p.directory(r.cwd)
	e.Sidechain = r.sidechain.isTrue()
	switch e.Type {
	case Unknown:
		p.unknownType(e)
	case "assistant":
		p.assistant(e, to)
	case "user":
		p.user(e, to)
	case "system":
		p.system(e, to)
	case "attachment":
		p.attachment(e, to)
	case "queue-operation":
		p.queueOperation(e)
	case "cost-state":
		e.Reported = p.reported(e, to)
	}
	if e.needsUUID() {
		e.UUID = p.uuid(e)
	}
}

// member returns a member of the object that only rare types of entries have, so that
// no other line has to look for it. It takes another walk.
func (p *Parser) member(name string) rawValue {
	var value [1]rawValue
	rawValue(p.cursor.b).pick([]string{name}, value[:])
	return value[0]
}

// Conversation reports whether the entry is a line of the dialogue itself.
func (e *Entry) IsConversation() bool { return e.Type == "user" || e.Type == "assistant" }

// A Message is an assistant record with usage: one of the lines in which one
// response of the API was written.
type Message struct {
	// Key digests message.id; without one, Identify takes the entry's UUID.
	Key   Key
	Model string // message.model, cleaned; "unknown" when it is not a string or empty
	// StopReason is message.stop_reason, cleaned; empty while the response streams.
	StopReason string
	Usage      Usage
	// Iterations are the usage.iterations that the top level does not include.
	Iterations []Iteration
}

// Final reports whether the record says how the response ended. Only then are
// its numbers more than what was known when the stream began.
func (m *Message) IsFinal() bool { return m.StopReason != "" }

// Usage holds the counts of one record, in tokens unless said otherwise.
type Usage struct {
	Input, Output, CacheRead uint64
	// CacheWrite5m and CacheWrite1h add up to the record's total of cache
	// writes: what has no stated lifetime is in CacheWrite5m.
	CacheWrite5m, CacheWrite1h uint64
	Thinking                   uint64 // part of Output
	WebSearches, WebFetches    uint64 // requests
}

// An Iteration is an element of usage.iterations whose tokens are not part of the
// message's own usage.
type Iteration struct {
	Kind  IterationKind
	Model string // the iteration's own, or that of the message; cleaned
	Usage Usage
}

// An IterationKind is the "type" of an element of usage.iterations.
type IterationKind string

// The kinds of iterations that the top level does not include.
const (
	AdvisorIteration    IterationKind = "advisor_message" // a request to an advisor model
	CompactionIteration IterationKind = "compaction"      // a compaction by the server
)

// A ReportedUsage is what a "cost-state" entry states about one model: Claude
// Code's own running totals of the session, sub-agents included. They grow until the
// session ends, also when it is resumed.
type ReportedUsage struct {
	Key   Key    // digests the session and the model as written
	Model string // cleaned; "unknown" when empty
	// The tokens of the model, by kind.
	Input, Output, Thinking, CacheRead, CacheWrite uint64
	WebSearches                                    uint64 // requests
	NanoUSD                                        uint64 // Claude Code's estimate of the cost, in 10^-9 US dollars
}

// A ToolUse is one tool_use (or server_tool_use, mcp_tool_use) block.
type ToolUse struct {
	Key       Key    // of the block's id
	Name      string // as written, cleaned; "unknown" when it is not a string
	MCPServer string // S of mcp__S__T, else empty
}

// A ToolResult is one tool_result block.
type ToolResult struct {
	Key    Key // of the tool_use_id
	Error  bool
	Reason string // one of ErrorReasons when Error, else empty
	// Bytes is what the result puts into the context: the length of its text
	// in UTF-8 plus that of images and documents as they are encoded.
	Bytes   uint64
	Added   uint64 // lines added, from the line's structured patch
	Removed uint64
}

// A Prompt is what a person or a program sent, or an interruption.
type Prompt struct {
	Kind string // one of PromptKinds, or Interruption
	// TextKey digests timestamp and content: copies in forks have new uuids.
	TextKey Key
	// Name is the slash command's name without the slash, for the kinds
	// command and local_command; else empty.
	Name string
}

// IsCommand reports whether the prompt is a slash command.
func (p *Prompt) IsCommand() bool { return p.Kind == "command" || p.Kind == "local_command" }

// An APIError is an assistant entry that tells the user of a failed request.
type APIError struct {
	Class  string // one of ErrorClasses, or another as written, cleaned
	Status string // HTTP status, "" when not stated
}

// A Retry is one system/api_error line: one retry by the client.
type Retry struct {
	Status string // HTTP status, or the code of the cause, or "unknown"
}

// A Compaction is one system/compact_boundary line.
type Compaction struct {
	Trigger   string // auto, manual, unknown, or another as written, cleaned
	PreTokens uint64 // size of the context before it, 0 when not stated
}

// A Turn is one system/turn_duration line.
type Turn struct {
	Milliseconds uint64
}

// Unknown is the Type of an entry whose type is missing or not in Types.
const Unknown = "unknown"

// Interruption is the Kind of a Prompt by which the user stopped Claude.
const Interruption = "interruption"

// A Problem says why a terminated line is not exactly one JSON object.
type Problem string

// The problems, as the reason label of ccwatchd_line_errors_total has them.
const (
	None      Problem = ""
	Glued     Problem = "glued"      // complete objects one after another
	Torn      Problem = "torn"       // a record cut off, mostly with a complete one behind it
	Garbage   Problem = "garbage"    // nothing that can be read
	NotObject Problem = "not_object" // JSON, but no object
	TooLong   Problem = "too_long"   // longer than the reader takes
)
