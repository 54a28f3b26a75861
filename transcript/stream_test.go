package transcript

import (
	"strings"
	"testing"
)

// The lines of a stream, as --output-format stream-json prints it, are known: a stream
// that is saved below a source raises no alarm.
func TestStream(t *testing.T) {
	for line := range strings.Lines(`{"type":"system","subtype":"init","session_id":"s","tools":["Read"],"model":"claude-x"}
{"type":"system","subtype":"status","status":"requesting","session_id":"s"}
{"type":"system","subtype":"hook_response","hook_event":"SessionStart","output":"","exit_code":0,"session_id":"s"}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}},"session_id":"s"}
{"type":"assistant","message":{"id":"m","model":"claude-x","stop_reason":null,"content":[{"type":"tool_use","id":"t","name":"Task"}],"usage":{"input_tokens":1}},"parent_tool_use_id":null,"session_id":"s"}
{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","resetsAt":1790409000},"session_id":"s"}
{"type":"system","subtype":"task_started","task_id":"a","session_id":"s"}
{"type":"system","subtype":"task_progress","task_id":"a","usage":{"total_tokens":9,"tool_uses":1,"duration_ms":5},"session_id":"s"}
{"type":"system","subtype":"task_notification","task_id":"a","status":"completed","usage":{"total_tokens":9,"tool_uses":1,"duration_ms":5},"session_id":"s"}
{"type":"system","subtype":"api_retry","attempt":1,"error_status":529,"error":"overloaded","session_id":"s"}
{"type":"tool_progress","tool_use_id":"t","tool_name":"Task","elapsed_time_seconds":30,"session_id":"s"}
{"type":"tool_use_summary","summary":"Read a file","session_id":"s"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},"tool_use_result":"x","session_id":"s"}
{"type":"prompt_suggestion","suggestion":"go on","session_id":"s"}
{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}
{"type":"control_response","response":{"subtype":"success","request_id":"r"}}
{"type":"keep_alive"}
{"type":"result","subtype":"success","result":"done","stop_reason":"end_turn","usage":{"input_tokens":1,"new_tokens":7},"modelUsage":{"claude-x":{"inputTokens":1}},"total_cost_usd":1,"session_id":"s"}
`) {
		e := parseOne(t, strings.TrimSuffix(line, "\n"))
		equal(t, line, unknownOf(&e), "")
		if e.Type == Unknown || e.Message != nil && e.Type != "assistant" || e.Reported != nil || e.LimitHit != nil {
			t.Errorf("%s: got %+v", line, e)
		}
	}
}
