package transcript

// The closed sets below are the values of labels. They are tables: nobody may
// change them.

// Types are the known values of an object's "type". All but the first group were
// reported by others and not seen in the files that this package was made from; those
// of the third one since Claude Code 2.1.233.
var Types = []string{
	"assistant", "user", "system", "progress", "attachment", "queue-operation",
	"file-history-snapshot", "file-history-delta", "last-prompt", "permission-mode",
	"mode", "bridge-session", "ai-title", "custom-title", "agent-name", "summary",
	"pr-link", "frame-link", "fork-context-ref",

	"tag", "relocated", "worktree-state", "agent-setting", "agent-color",
	"session-mode", "continued-in", "content-replacement", "history-suppression",

	"cost-state", "atis-latch", "artifact-autoreact-ledger", "artifact-comment-monitor",
	"isolation-latch", "ended-by-model", "observer-ref", "attribution-snapshot",
	"speculation-accept", "marble-origami-commit", "marble-origami-snapshot",
	"marble-origami-reset", "dev-mods",
}

// UnknownKinds are the values of UnknownItem.Kind.
var UnknownKinds = append([]string{unknownMetadataType, unknownSubtype}, AlarmingKinds...)

// AlarmingKinds are those of UnknownKinds that may hide something that should be
// counted and is not. The others come with most releases of Claude Code and cost nothing.
var AlarmingKinds = []string{
	unknownType, unknownStopReason, unknownUsageKey, unknownIteration, unknownBlock, unknownError,
}

const (
	unknownMetadataType = "metadata_type" // "type" is missing or not in Types, and the entry has nothing that is counted
	unknownSubtype      = "subtype"       // the same for the "subtype" of a system entry
	unknownType         = "type"          // either of them, but the entry has a message, usage or a tool block
	unknownStopReason   = "stop_reason"   // a message ended in an unknown way
	unknownUsageKey     = "usage_key"     // a key of usage with numbers in it, or a number that no request can have
	unknownIteration    = "iteration"     // the type of one of usage.iterations
	unknownBlock        = "block"         // a content block that is a call or a result of a tool by its type, but not read as one
	unknownError        = "error"         // an API error of a class not in ErrorClasses
)

// ErrorReasons are the values of ToolResult.Reason.
var ErrorReasons = []string{
	"user_rejected", "interrupted", "sibling_cancelled", "exit_code",
	"permission", "validation", "tool_use_error", "other",
}

// PromptKinds are the values of Prompt.Kind save Interruption.
var PromptKinds = []string{"text", "command", "local_command", "bash", "queued", "sdk"}

// ErrorClasses are the known values of APIError.Class.
var ErrorClasses = []string{
	"authentication_failed", "unknown", "rate_limit", "invalid_request",
	"server_error", "billing_error", "overloaded", "max_output_tokens",
	"model_not_found", "oauth_org_not_allowed",
}

// Triggers are the known values of Compaction.Trigger.
var Triggers = []string{"auto", "manual", "unknown"}

// QueueOperations are the values of Entry.QueueOperation.
var QueueOperations = []string{"enqueue", "dequeue", "remove", "other"}

// Problems are the values of Problem save None, and TooLong, which the
// reader of the file finds.
var Problems = []Problem{Glued, Torn, Garbage, NotObject, TooLong}

// subtypes are the known values of a system entry's "subtype".
var subtypes = []string{
	"api_error", "attribution_snapshot", "away_summary", "bridge_status",
	"compact_boundary", "informational", "local_command", "microcompact_boundary",
	"scheduled_task_fire", "stop_hook_summary", "turn_duration", "ui_telemetry",
	"model_refusal_fallback", "model_refusal_no_fallback", "agents_killed", "init",
}

// stopReasons are the known ways in which a response ends.
var stopReasons = []string{
	"end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn",
	"refusal", "model_context_window_exceeded", "compaction",
}

// iterationTypes are the known values of the "type" of usage.iterations. The top level
// includes the first two; see Iteration for the others.
var iterationTypes = []string{"message", "fallback_message", string(AdvisorIteration), string(CompactionIteration)}
