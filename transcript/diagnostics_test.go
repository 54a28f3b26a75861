package transcript

import "testing"

// Only the type model_changed of a reason counts, wherever it is stated.
func TestModelChanged(t *testing.T) {
	stated := func(diagnostics string) string {
		return `{"type":"assistant","message":{"model":"x","usage":{},"diagnostics":` + diagnostics + `}}`
	}
	for _, tt := range []struct {
		name, line string
		want       bool
	}{
		{"in the message", stated(`{"cache_miss_reason":{"type":"model_changed","cache_missed_input_tokens":7}}`), true},
		{"escaped", stated(`{"cache_miss_reason":{"type":"model\u005fchanged"}}`), true},
		{"in the entry", `{"type":"assistant","message":{"model":"x","usage":{}},"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}}`, true},
		{
			"in the entry, before the message",
			`{"diagnostics":{"cache_miss_reason":{"type":"model_changed"}},"message":{"model":"x","usage":{},"diagnostics":null},"type":"assistant"}`, true,
		},
		{"another type", stated(`{"cache_miss_reason":{"type":"tools_changed"}}`), false},
		{"nothing to compare with", stated(`{"cache_miss_reason":{"type":"previous_message_not_found"}}`), false},
		{"no type", stated(`{"cache_miss_reason":{}}`), false},
		{"a text", stated(`{"cache_miss_reason":"model_changed"}`), false},
		{"no reason", stated(`{"cache_miss_reason":null}`), false},
		{"elsewhere", stated(`{"type":"model_changed"}`), false},
		{"null", stated(`null`), false},
		{"not of a message", `{"type":"assistant","message":{"model":"x","usage":{"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}}}}`, false},
	} {
		e := parseOne(t, tt.line)
		equal(t, tt.name, e.Message.ModelChanged, tt.want)
	}
}
