package transcript

// An Entry is the part of one JSON object of a transcript that is counted. It contains
// no conversation text, and ids only as digests. The exceptions, SessionID and CWD,
// never leave the memory of the process.
type Entry struct {
	// Type is the object's "type" if it is one of Types, else Unknown.
	Type string
	// UUID digests the object's "uuid" if it is needed for counting; otherwise, or
	// without a uuid, it is zero, see AssignKeys.
	UUID Key
	// Time is the object's "timestamp" in milliseconds since the epoch, 0 if it is missing
	// or invalid.
	Time int64
	// SessionID is the object's "sessionId" as written.
	SessionID string
	// Session digests SessionID; zero if there is none.
	Session Key
	// RequestSession digests the session that made the request, if the entry states a
	// session other than its own: Claude Code 2.1.326 and later copy it into a fork.
	RequestSession Key
	// Copied is whether the entry states that it was copied from another session.
	Copied bool
	// CWD is the object's "cwd", the working directory, as written.
	CWD string
	// Project and Command are labels that the reader of the file derives from CWD and
	// Prompt.Name with its configuration. The Parser leaves them empty.
	Project, Command string
	// HasProject is whether Project was derived; it may still be empty. An entry
	// without a project belongs to the project of the previous entry, whatever its CWD:
	// a session remains in its first project.
	HasProject bool
	// PermissionMode is one of PermissionModes, if a "user" or "permission-mode" entry
	// states the mode of the requests that follow.
	PermissionMode Enum
	// LeavesPlan is whether the entry states that the permission mode plan has ended. The
	// mode that follows is stated later.
	LeavesPlan bool
	// Sidechain is whether "isSidechain" is exactly true.
	Sidechain bool

	Message  *Message
	Response *Response // identifies the response, if the entry has a requestRef or short ids
	Uses     []ToolUse
	Results  []ToolResult
	Prompt   *Prompt
	APIError *APIError
	LimitHit *LimitHit // of APIError
	// Attribution names the agent, skill, plugin or MCP server of an "assistant" entry,
	// nil if it names none.
	Attribution *Attribution
	Compaction  *Compaction
	Turn        *Turn
	// TaskCall is the key of the tool call that began a background task, if a "user" entry
	// notifies the model of it.
	TaskCall Key
	// QueueOperation is enqueue, dequeue, remove or other for a "queue-operation" entry
	// with an operation, else empty.
	QueueOperation string
	// QueueKey digests session, timestamp and operation of a "queue-operation" entry, as
	// written. Equal operations within a millisecond have the same key.
	QueueKey Key
	// Hooks are the stated hook runs, nil without a statement.
	Hooks *Hooks
	// Facts are other events. Each counts by its own key.
	Facts []Fact
	// Reported holds the totals of a "cost-state" entry, one element per model.
	Reported []ReportedUsage
	// Warmup is true for a "user" entry whose first block is exactly the text "Warmup":
	// Claude Code sends this request to fill the prompt cache of a sub-agent.
	Warmup bool
	// Unknown lists the parts of the entry that this version does not know, each name
	// once and at most eight of a kind.
	Unknown []UnknownItem
}

// Owner returns the session that made the entry's request, or has the entry.
func (e *Entry) Owner() Key {
	if !e.RequestSession.IsZero() {
		return e.RequestSession
	}
	return e.Session
}

// EndsProcess reports whether Claude Code writes the entry when it exits.
func (e *Entry) EndsProcess() bool { return e.Type == "cost-state" }

// IsConversation reports whether the entry is part of the dialogue itself.
func (e *Entry) IsConversation() bool { return e.Type == "user" || e.Type == "assistant" }

// A Message is an assistant entry with usage: one of the lines of an API response.
type Message struct {
	// Key digests message.id and, if the entry has one, its requestRef. Without both,
	// AssignKeys derives it from the entry's UUID. With a Response, the ledger may use
	// another key.
	Key   Key
	Model string // message.model, cleaned; "unknown" if it is empty or not a string
	// StopReason is message.stop_reason, cleaned; empty while the response streams.
	StopReason string
	// Fast is whether usage.speed is "fast", and US whether usage.inference_geo is "us".
	// Both change the price.
	Fast, US   bool
	Incomplete bool // the stream of the response broke off, see stopDetailsVersion
	Usage      Usage
	RequestAttributes
	// MissReason is the stated change since the previous request that made the request
	// miss the prompt cache: one of StatedMissReasons, or empty.
	MissReason string
	// Iterations are the usage.iterations whose tokens Usage does not include.
	Iterations []Iteration
}

// IsFinal reports whether the line states how the response ended. Until then, its
// numbers are from the start of the stream.
func (m *Message) IsFinal() bool { return m.StopReason != "" }

// Usage holds the counts of one line, in tokens unless noted otherwise.
type Usage struct {
	Input, Output, CacheRead uint64
	// CacheWrite5m and CacheWrite1h add up to the line's total of cache writes. Writes
	// without a stated lifetime are in CacheWrite5m.
	CacheWrite5m, CacheWrite1h uint64
	Thinking                   uint64 // part of Output
	WebSearches, WebFetches    uint64 // requests
}

// An Iteration is an element of usage.iterations whose tokens are not part of the
// message's own usage.
type Iteration struct {
	Kind  IterationKind
	Model string // stated by the iteration or, without a statement, by the message; cleaned
	// Fast and US have the message's values unless the iteration states its own.
	Fast, US bool
	Usage    Usage
}

// An IterationKind is the "type" of an element of usage.iterations.
type IterationKind string

// The kinds of iterations that the message's own usage does not include.
const (
	AdvisorIteration    IterationKind = "advisor_message" // a request to an advisor model
	CompactionIteration IterationKind = "compaction"      // a compaction on the server
)

// A ReportedUsage holds the totals of one model in a "cost-state" entry: Claude Code's
// own running totals of the session, including sub-agents. They grow until the session
// ends, also after it is resumed.
type ReportedUsage struct {
	Key   Key    // digests the session and the model as written
	Model string // cleaned; "unknown" if empty
	// The tokens of the model, by kind.
	Input, Output, Thinking, CacheRead, CacheWrite uint64
	WebSearches                                    uint64 // requests
	NanoUSD                                        uint64 // the cost estimated by Claude Code, in 10^-9 US dollars
	ContextWindow                                  uint64 // tokens that a context can have; 0 if not stated, as in most versions
}

// A ToolUse is one tool_use (or server_tool_use, mcp_tool_use) block.
type ToolUse struct {
	Key       Key    // digests the block's id; identifies a call only if the id is not short
	ID        Key    // equal to Key if the id is short, else zero
	Name      string // as written, cleaned; "unknown" if it is not a string
	MCPServer string // S of mcp__S__T, else empty
	// SkillName is the skill that a call of the tool Skill starts, cleaned. Skill is its
	// label, which the reader of the file derives from it and the Parser leaves empty.
	SkillName, Skill string
}

// IsSkill reports whether the call starts a skill.
func (u *ToolUse) IsSkill() bool { return u.Name == skillTool }

// A ToolResult is one tool_result block.
type ToolResult struct {
	Key    Key // digests the tool_use_id; identifies a call only if the id is not short
	ID     Key // equal to Key if the id is short, else zero
	Error  bool
	Reason string // one of ErrorReasons if Error, else empty
	// Permission states how the permission for the call was decided, the zero value if
	// that is not stated.
	Permission Permission
	// Bytes is the size that the result adds to the context: the length of its text in
	// UTF-8 and of its images and documents in base64.
	Bytes          uint64
	Added, Removed uint64 // lines, from the structured patch of the entry
	// Searches is the number of web searches that a call of WebSearch made. No entry
	// contains the requests for them.
	Searches uint64
}

// A Prompt is input from a person or a program, or an interruption.
type Prompt struct {
	Kind string // one of PromptKinds, or Interruption
	// TextKey digests timestamp and content, because copies in forks have new uuids.
	TextKey Key
	// Name is the name of the slash command without the slash for the kinds command and
	// local_command, else empty.
	Name string
}

// IsCommand reports whether the prompt is a slash command.
func (p *Prompt) IsCommand() bool { return p.Kind == "command" || p.Kind == "local_command" }

// An APIError is an assistant entry that reports a failed request.
type APIError struct {
	Class  string // an element of ErrorClasses, or another class as written, cleaned
	Status string // HTTP status, or "timeout"; "" if not stated
}

// A Compaction is a system/compact_boundary entry.
type Compaction struct {
	Trigger   string // auto, manual, unknown, or another trigger as written, cleaned
	PreTokens uint64 // size of the context before, 0 if not stated
	// PostTokens is the size of the context after the compaction, and Milliseconds is
	// its duration; 0 if not stated.
	PostTokens, Milliseconds uint64
}

// A Turn is a system/turn_duration entry.
type Turn struct {
	Milliseconds uint64
	// Pending is whether background work of the session still runs; the model will be
	// notified of its end.
	Pending bool
}

// Unknown is the Type of an entry whose type is missing or not in Types.
const Unknown = "unknown"

// Interruption is the Kind of a Prompt that stopped Claude.
const Interruption = "interruption"

// A Problem is the reason why a terminated line is not exactly one JSON object.
type Problem string

// The problems, which are values of the label reason of ccwatchd_line_errors_total.
const (
	None      Problem = ""
	Glued     Problem = "glued"      // consecutive complete objects
	Torn      Problem = "torn"       // a truncated record, usually followed by a complete record
	Garbage   Problem = "garbage"    // nothing could be read
	NotObject Problem = "not_object" // JSON, but not an object
	TooLong   Problem = "too_long"   // longer than the reader accepts
	UTF16     Problem = "utf16"      // an object in UTF-16, as Windows PowerShell writes with ">"
)
