package transcript

// The closed sets below are label values. They must not be modified.

// Types are the known values of an object's "type". The first group was seen in the
// transcripts that this package was developed with; the second and third were reported
// by users, the third for Claude Code 2.1.233 and later. Claude Code 2.1.332 writes the
// types of the fourth group, and knows memory-mode. The types of the last group appear
// in the output of --output-format stream-json: a saved stream repeats a transcript.
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

	"api-request", blobType, "api-request-shape", "tools-used", "memory-mode",

	"result", "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary",
	"prompt_suggestion", "conversation_reset", "auth_status", "active_goal", "keep_alive",
	"control_request", "control_response", "control_cancel_request",
}

// blobType is the type of an entry that holds a message as sent in a request. It only
// repeats other entries, for Claude Code's own use, so it is not counted.
const blobType = "api-request-blob"

// UnknownKinds are the values of UnknownItem.Kind.
var UnknownKinds = append([]string{unknownMetadataType, unknownSubtype}, AlarmingKinds...)

// AlarmingKinds are the UnknownKinds that may hide uncounted tokens or events. The
// remaining kinds appear with most releases of Claude Code and cost nothing.
var AlarmingKinds = []string{
	unknownType, unknownStopReason, unknownUsageKey, unknownIteration, unknownBlock, unknownError,
}

const (
	unknownMetadataType = "metadata_type" // "type" is missing or not in Types, and the entry has nothing to be counted
	unknownSubtype      = "subtype"       // the same for "subtype" of a system entry
	unknownType         = "type"          // type or subtype, in an entry with a message, usage or a tool block
	unknownStopReason   = "stop_reason"   // of a message, not in stopReasons
	unknownUsageKey     = "usage_key"     // a key of usage whose value contains numbers, or a key with an impossible number
	unknownIteration    = "iteration"     // the type of an element of usage.iterations
	unknownBlock        = "block"         // a content block whose type looks like a tool call or result, but is not known
	unknownError        = "error"         // the class of an API error, not in ErrorClasses
)

// ErrorReasons are the values of ToolResult.Reason.
var ErrorReasons = []string{
	"user_rejected", "interrupted", "sibling_cancelled", "exit_code",
	"permission", "hook", "validation", "tool_use_error", "other",
}

// PromptKinds are the values of Prompt.Kind except Interruption.
var PromptKinds = []string{"text", "command", "local_command", "bash", "queued", "sdk"}

// ErrorClasses are the known values of APIError.Class.
var ErrorClasses = []string{
	"authentication_failed", "unknown", "rate_limit", "invalid_request",
	"server_error", "billing_error", "overloaded", "max_output_tokens",
	"model_not_found", "oauth_org_not_allowed", "account_on_hold", "verification_required",
	"cloud_credential_error",
}

// Triggers are the known values of Compaction.Trigger.
var Triggers = []string{"auto", "manual", "unknown"}

// QueueOperations are the values of Entry.QueueOperation.
var QueueOperations = []string{"enqueue", "dequeue", "remove", "other"}

// Problems are the values of Problem except None. The reader of the file detects
// TooLong.
var Problems = []Problem{Glued, Torn, Garbage, NotObject, TooLong, UTF16}

// Subtypes are the known values of "subtype" of a system entry. The last group appears
// in streams, see Types.
var Subtypes = []string{
	"api_error", "attribution_snapshot", "away_summary", "bridge_status",
	"compact_boundary", "informational", "local_command", "microcompact_boundary",
	"scheduled_task_fire", "stop_hook_summary", "turn_duration", "ui_telemetry",
	"model_refusal_fallback", "model_refusal_no_fallback", "agents_killed", "init",
	"model_fallback",

	"status", "api_retry", "control_request_progress", "local_command_output",
	"hook_started", "hook_progress", "hook_response", "plugin_install",
	"task_started", "task_updated", "task_progress", "task_notification",
	"background_tasks_changed", "thinking_tokens", "session_state_changed",
	"worker_shutting_down", "commands_changed", "notification", "files_persisted",
	"memory_recall", "elicitation_complete", "permission_denied", "mirror_error",
	"session_writes_lost",
}

// stopReasons are the known stop reasons of a response. Gateways pass on the reasons of
// the last group, which OpenAI's API and OpenRouter state.
var stopReasons = []string{
	"end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn",
	"refusal", "model_context_window_exceeded", "compaction",

	"stop", "length", "tool_calls", "content_filter", "function_call", "error",
}

// includedIterations are the known types of usage.iterations whose tokens are part of
// the message's own usage.
var includedIterations = []string{"message", "fallback_message"}

// separateIterations are the known types of usage.iterations whose tokens the message's
// own usage does not include.
var separateIterations = []IterationKind{AdvisorIteration, CompactionIteration}

// LimitWindows are the windows of usage limits that Claude Code is known to state; a
// LimitHit can name other windows. The weekly windows of some models come after the
// weekly window of all models; overage is usage that is paid in addition.
var LimitWindows = []string{
	"five_hour", "seven_day", "seven_day_opus", "seven_day_sonnet",
	"seven_day_overage_included", "overage",
}
