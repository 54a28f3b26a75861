package transcript

import "testing"

func TestMessage(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          *Message
		unknown       string
	}{
		{
			name: "all members",
			message: `{"id":"m1","model":"claude-x","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2,
				"cache_read_input_tokens":3,"cache_creation_input_tokens":30,
				"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},
				"output_tokens_details":{"thinking_tokens":1},
				"server_tool_use":{"web_search_requests":4,"web_fetch_requests":5},
				"service_tier":"standard","inference_geo":"","speed":"fast","iterations":[]}}`,
			want: &Message{
				Key: KeyOf("message", "m1"), Model: "claude-x", StopReason: "end_turn", Fast: true,
				Usage: Usage{
					Input: 1, Output: 2, CacheRead: 3, CacheWrite5m: 10, CacheWrite1h: 20,
					Thinking: 1, WebSearches: 4, WebFetches: 5,
				},
			},
		},
		{name: "streaming", message: `{"model":"x","stop_reason":null,"usage":{}}`, want: &Message{Model: "x"}},
		{name: "empty id", message: `{"id":"","model":"x","usage":{}}`, want: &Message{Model: "x"}},
		{name: "id of the wrong type", message: `{"id":7,"model":"x","usage":{}}`, want: &Message{Model: "x"}},
		{name: "no model", message: `{"usage":{}}`, want: &Message{Model: "unknown"}},
		{name: "model of the wrong type", message: `{"model":["x"],"usage":{}}`, want: &Message{Model: "unknown"}},
		{name: "empty model", message: `{"model":"","usage":{}}`, want: &Message{Model: "unknown"}},
		{name: "model cleaned", message: `{"model":"a\nb","usage":{}}`, want: &Message{Model: "ab"}},
		{name: "model cleaned to nothing", message: `{"model":"\u0000","usage":{}}`, want: &Message{Model: "unknown"}},

		{name: "synthetic", message: `{"model":"<synthetic>","stop_reason":"new","usage":{"x":1}}`},
		{name: "no usage", message: `{"model":"x","stop_reason":"end_turn"}`},
		{name: "null usage", message: `{"model":"x","usage":null}`},
		{name: "usage of the wrong type", message: `{"model":"x","usage":[{}]}`},
		{name: "message of the wrong type", message: `"text"`},
		{name: "null message", message: `null`},

		{
			name: "two unknown items", message: `{"model":"x","stop_reason":"tired","usage":{"a":1,"b":2}}`,
			want: &Message{Model: "x", StopReason: "tired"}, unknown: "usage_key=a usage_key=b stop_reason=tired",
		},
		{
			name: "iterations of an advisor",
			message: `{"model":"x","usage":{"input_tokens":1,"iterations":[
				{"type":"message","model":"y","input_tokens":1},
				{"type":"advisor_message","model":"adv","input_tokens":100,"output_tokens":20,"cache_read_input_tokens":3,
				 "cache_creation_input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":9},"cache_hint":1},
				{"type":"advisor_message","model":null,"output_tokens":5},
				{"type":"advisor_message","model":"a\tb"},
				"advisor_message", null,
				{"output_tokens":6}]}}`,
			want: &Message{Model: "x", Usage: Usage{Input: 1}, Iterations: []Iteration{
				{Kind: AdvisorIteration, Model: "adv", Usage: Usage{Input: 100, Output: 20, CacheRead: 3, CacheWrite1h: 9}},
				{Kind: AdvisorIteration, Model: "x", Usage: Usage{Output: 5}},
				{Kind: AdvisorIteration, Model: "ab"},
			}},
		},
		{
			name: "speed and place of iterations",
			message: `{"model":"x","usage":{"iterations":[
				{"type":"advisor_message"},
				{"type":"advisor_message","speed":null,"inference_geo":"eu"},
				{"type":"advisor_message","speed":"standard","inference_geo":null},
				{"type":"advisor_message","speed":1,"inference_geo":""}],
				"speed":"f\u0061st","inference_geo":"us"}}`,
			want: &Message{Model: "x", Fast: true, US: true, Iterations: []Iteration{
				{Kind: AdvisorIteration, Model: "x", Fast: true, US: true},
				{Kind: AdvisorIteration, Model: "x", Fast: true},
				{Kind: AdvisorIteration, Model: "x", US: true},
				{Kind: AdvisorIteration, Model: "x"},
			}},
		},
		{
			name:    "an iteration faster than its message",
			message: `{"model":"x","usage":{"iterations":[{"type":"compaction","speed":"fast","inference_geo":"us"}],"speed":"standard","inference_geo":"global"}}`,
			want: &Message{Model: "x", Iterations: []Iteration{
				{Kind: CompactionIteration, Model: "x", Fast: true, US: true},
			}},
		},
		{name: "other speed and place", message: `{"model":"x","usage":{"speed":"Fast","inference_geo":"usa"}}`, want: &Message{Model: "x"}},
		{name: "speed and place of the wrong type", message: `{"model":"x","usage":{"speed":["fast"],"inference_geo":{"us":1}}}`, want: &Message{Model: "x"}},
		{name: "speed outside of usage", message: `{"model":"x","speed":"fast","inference_geo":"us","usage":{}}`, want: &Message{Model: "x"}},
		{
			name: "compaction on the server",
			message: `{"model":"x","usage":{"input_tokens":1,"iterations":[
				{"type":"compaction","input_tokens":180,"output_tokens":4},
				{"type":"compact\u0069on","model":"y","cache_creation_input_tokens":7},
				{"type":"Compaction","input_tokens":9}]}}`,
			want: &Message{Model: "x", Usage: Usage{Input: 1}, Iterations: []Iteration{
				{Kind: CompactionIteration, Model: "x", Usage: Usage{Input: 180, Output: 4}},
				{Kind: CompactionIteration, Model: "y", Usage: Usage{CacheWrite5m: 7}},
			}},
			unknown: "iteration=Compaction",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"assistant","message":`+tt.message+`}`)
			if e.Message != nil {
				e.Message.RequestAttributes = RequestAttributes{} // see TestRequestAttributes
			}
			equal(t, "message", e.Message, tt.want)
			equal(t, "unknown", unknownOf(&e), tt.unknown)
		})
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		usage   string
		want    Usage
		unknown string
	}{
		// The total of cache writes without its parts, the parts without the total, and
		// totals that differ from their parts.
		{`"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":0}`, Usage{CacheWrite5m: 7}, ""},
		{
			`"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}`,
			Usage{CacheWrite5m: 3, CacheWrite1h: 4}, "",
		},
		{
			`"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}`,
			Usage{CacheWrite5m: 6, CacheWrite1h: 4}, "",
		},
		{
			`"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":9}`,
			Usage{CacheWrite1h: 5}, "",
		},
		// Members of the wrong type, and unknown members.
		{`"input_tokens":1,"cache_creation":5,"server_tool_use":[],"output_tokens_details":null,"iterations":{}`, Usage{Input: 1}, ""},
		{`"input_tokens":1,"Output_tokens":2`, Usage{Input: 1}, "usage_key=Output_tokens"},
		{`"cache_creation":{"ephemeral_24h_input_tokens":1}`, Usage{}, "usage_key=cache_creation.ephemeral_24h_input_tokens"},
		{`"output_tokens_details":{"thinking_tokens":2,"spoken_tokens":1}`, Usage{Thinking: 2}, "usage_key=output_tokens_details.spoken_tokens"},
		{`"server_tool_use":{"code_execution_requests":1}`, Usage{}, "usage_key=server_tool_use.code_execution_requests"},
		{
			`"input_tokens":9007199254740993,"output_tokens":1e400,"cache_read_input_tokens":2`,
			Usage{CacheRead: 2}, "usage_key=input_tokens usage_key=output_tokens",
		},
	} {
		e := parseOne(t, `{"type":"assistant","message":{"model":"x","usage":{`+tt.usage+`}}}`)
		equal(t, tt.usage, e.Message, &Message{Model: "x", Usage: tt.want})
		equal(t, "unknown of "+tt.usage, unknownOf(&e), tt.unknown)
	}
}

func TestMessageOnlyOfAssistant(t *testing.T) {
	const message = `"message":{"id":"m","model":"x","usage":{"input_tokens":1}}`
	for _, line := range []string{
		`{"type":"user",` + message + `}`,
		`{"type":"progress","data":{"type":"agent_progress",` + message + `}}`,
		`{"type":"assistant","usage":{"input_tokens":1},"toolUseResult":{"usage":{"input_tokens":1}}}`,
	} {
		if m := parseOne(t, line).Message; m != nil {
			t.Errorf("message of %s = %+v, want none", line, m)
		}
	}
}

func TestStopReason(t *testing.T) {
	for _, tt := range []struct {
		raw, want string
		unknown   bool
	}{
		{`null`, "", false}, {`""`, "", false}, {`false`, "", false}, {`0`, "", false},
		{`-0.0`, "", false}, {`1e-999`, "", false}, {`[ ]`, "", false}, {`{}`, "", false},

		{`"end_turn"`, "end_turn", false}, {`"tool_use"`, "tool_use", false},
		{`"max_tokens"`, "max_tokens", false}, {`"stop_sequence"`, "stop_sequence", false},
		{`"pause_turn"`, "pause_turn", false}, {`"refusal"`, "refusal", false},
		{`"model_context_window_exceeded"`, "model_context_window_exceeded", false},
		{`"compaction"`, "compaction", false},

		{`"stop"`, "stop", false}, {`"length"`, "length", false}, {`"tool_calls"`, "tool_calls", false},
		{`"content_filter"`, "content_filter", false}, {`"function_call"`, "function_call", false},
		{`"error"`, "error", false},

		{`"stopped"`, "stopped", true}, {`"Stop"`, "Stop", true},
		{`"new\u0000 reason"`, "new reason", true}, {`"\u0000"`, "other", true},
		{`true`, "other", true}, {`1`, "other", true}, {`1e999`, "other", true},
		{`[null]`, "other", true}, {`{"a":1}`, "other", true},
	} {
		e := parseOne(t, `{"type":"assistant","message":{"stop_reason":`+tt.raw+`,"usage":{}}}`)
		equal(t, tt.raw, e.Message.StopReason, tt.want)
		equal(t, tt.raw+" final", e.Message.IsFinal(), tt.want != "")
		equal(t, tt.raw+" unknown", len(e.Unknown) > 0, tt.unknown)
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		raw string
		n   uint64
		ok  bool
	}{
		{``, 0, true}, {`null`, 0, true}, {`true`, 0, true}, {`"12"`, 0, true}, {`[1]`, 0, true}, {`{}`, 0, true},
		{`0`, 0, true}, {`-0`, 0, true}, {`-7`, 0, true}, {`-1e999`, 0, true}, {`1e-999`, 0, true},
		{`42`, 42, true}, {`42.99`, 42, true}, {`0.9`, 0, true}, {`4.2e3`, 4200, true}, {`1E2`, 100, true},
		{`9007199254740992`, 1 << 53, true}, {`9007199254740992.0`, 1 << 53, true},
		{`9007199254740993`, 0, false}, {`9007199254740994.0`, 0, false},
		{`18446744073709551615`, 0, false}, {`18446744073709551616`, 0, false}, {`1e999`, 0, false},
	} {
		n, ok := rawValue(tt.raw).count()
		if n != tt.n || ok != tt.ok {
			t.Errorf("count of %s = %d, %t, want %d, %t", tt.raw, n, ok, tt.n, tt.ok)
		}
	}
}
