package transcript

import "testing"

// Only some types of a reason count, wherever they are stated.
func TestMissReason(t *testing.T) {
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
		{"another type", stated(`{"cache_miss_reason":{"type":"messages_changed"}}`), false},
		{"nothing to compare with", stated(`{"cache_miss_reason":{"type":"previous_message_not_found"}}`), false},
		{"no type", stated(`{"cache_miss_reason":{}}`), false},
		{"a text", stated(`{"cache_miss_reason":"model_changed"}`), false},
		{"no reason", stated(`{"cache_miss_reason":null}`), false},
		{"elsewhere", stated(`{"type":"model_changed"}`), false},
		{"null", stated(`null`), false},
		{"not of a message", `{"type":"assistant","message":{"model":"x","usage":{"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}}}}`, false},
	} {
		e := parseOne(t, tt.line)
		want := ""
		if tt.want {
			want = "model_changed"
		}
		equal(t, tt.name, e.Message.MissReason, want)
	}
}
