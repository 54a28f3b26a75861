package transcript

import "testing"

// Only some types of a reason count, wherever they are stated.
func TestMissReason(t *testing.T) {
	stated := func(diagnostics string) string {
		return `{"type":"assistant","message":{"model":"x","usage":{},"diagnostics":` + diagnostics + `}}`
	}
	for _, tt := range []struct {
		name, line string
		want       string
	}{
		{"in the message", stated(`{"cache_miss_reason":{"type":"model_changed","cache_missed_input_tokens":7}}`), "model_changed"},
		{"escaped", stated(`{"cache_miss_reason":{"type":"model\u005fchanged"}}`), "model_changed"},
		{"in the entry", `{"type":"assistant","message":{"model":"x","usage":{}},"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}}`, "model_changed"},
		{
			"in the entry, before the message",
			`{"diagnostics":{"cache_miss_reason":{"type":"model_changed"}},"message":{"model":"x","usage":{},"diagnostics":null},"type":"assistant"}`, "model_changed",
		},
		{"another type", stated(`{"cache_miss_reason":{"type":"messages_changed"}}`), ""},
		{"nothing to compare with", stated(`{"cache_miss_reason":{"type":"previous_message_not_found"}}`), ""},
		{"no type", stated(`{"cache_miss_reason":{}}`), ""},
		{"a text", stated(`{"cache_miss_reason":"model_changed"}`), ""},
		{"no reason", stated(`{"cache_miss_reason":null}`), ""},
		{"elsewhere", stated(`{"type":"model_changed"}`), ""},
		{"null", stated(`null`), ""},
		{"not of a message", `{"type":"assistant","message":{"model":"x","usage":{"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}}}}`, ""},
		{"the system prompt", stated(`{"cache_miss_reason":{"type":"system_changed"}}`), "system_changed"},
		{"the tools", stated(`{"cache_miss_reason":{"type":"tools_changed"}}`), "tools_changed"},
	} {
		e := parseOne(t, tt.line)
		equal(t, tt.name, e.Message.MissReason, tt.want)
	}
}
