package transcript

import "testing"

func TestReported(t *testing.T) {
	of := func(model string, r ReportedUsage) ReportedUsage {
		r.Key, r.Model = KeyOf("reported", "s1", model), Clean(model)
		return r
	}
	for _, tt := range []struct {
		name, fields string
		want         []ReportedUsage
	}{
		{
			name: "two models",
			fields: `"sessionId":"s1","totalCostUSD":9,"modelUsage":{"opus[1m]":{"inputTokens":1,"outputTokens":2,"thinkingTokens":3,
				"cacheReadInputTokens":4,"cacheCreationInputTokens":5,"webSearchRequests":6,"costUSD":0.25,"contextWindow":9},"h\ti":{"costUSD":1e-9}}`,
			want: []ReportedUsage{
				of("opus[1m]", ReportedUsage{Input: 1, Output: 2, Thinking: 3, CacheRead: 4, CacheWrite: 5, WebSearches: 6, NanoUSD: 250_000_000}),
				of("h\ti", ReportedUsage{NanoUSD: 1}),
			},
		},
		{
			name:   "cost is rounded to the nearest billionth",
			fields: `"sessionId":"s1","modelUsage":{"m":{"costUSD":0.0000000016}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{NanoUSD: 2})},
		},
		{
			name:   "numbers that are no counts",
			fields: `"sessionId":"s1","modelUsage":{"m":{"inputTokens":-1,"outputTokens":"2","thinkingTokens":2.9,"costUSD":-0.5,"webSearchRequests":true}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{Thinking: 2})},
		},
		{
			name:   "cost beyond belief",
			fields: `"sessionId":"s1","modelUsage":{"m":{"costUSD":1e300}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{})},
		},
		{
			name:   "equal names",
			fields: `"sessionId":"s1","modelUsage":{"m":{"inputTokens":1,"outputTokens":7},"n":{},"\u006d":{"inputTokens":2}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{Input: 2}), of("n", ReportedUsage{})},
		},
		{name: "no session", fields: `"modelUsage":{"m":{"inputTokens":1}}`},
		{name: "no object", fields: `"sessionId":"s1","modelUsage":[{"m":{"inputTokens":1}}]`},
		{name: "nothing", fields: `"sessionId":"s1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"cost-state",`+tt.fields+`}`)
			equal(t, "reported", e.Reported, tt.want)
		})
	}
	if e := parseOne(t, `{"type":"summary","sessionId":"s1","modelUsage":{"m":{"inputTokens":1}}}`); e.Reported != nil {
		t.Errorf("another type reports %+v", e.Reported)
	}
}

func TestLocalCommandInSystemEntry(t *testing.T) {
	const stamp = `"timestamp":"2026-05-01T10:00:01.000Z",`
	for _, tt := range []struct {
		name, fields, command string
		none                  bool
	}{
		{name: "command", fields: `"subtype":"local_command","content":" <command-name>/usage</command-name>"`, command: "usage"},
		{name: "output", fields: `"subtype":"local_command","content":"<local-command-stdout>ok</local-command-stdout>"`, none: true},
		{name: "message first", fields: `"subtype":"local_command","content":"<command-message>usage</command-message>"`, none: true},
		{name: "no text", fields: `"subtype":"local_command","content":{"a":"<command-name>"}`, none: true},
		{name: "another subtype", fields: `"subtype":"informational","content":"<command-name>/usage</command-name>"`, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"system","uuid":"u",`+stamp+tt.fields+`}`)
			if tt.none {
				equal(t, "prompt", e.Prompt, nil)
				return
			}
			text := KeyOf("prompt", "2026-05-01T10:00:01.000Z", "<command-name>/usage</command-name>")
			equal(t, "prompt", e.Prompt, &Prompt{Kind: "local_command", Name: tt.command, TextKey: text})
			equal(t, "uuid", e.UUID, KeyOf("uuid", "u"))
		})
	}
	user := parseOne(t, `{"type":"user",`+stamp+`"message":{"content":"<command-name>/usage</command-name>"}}`)
	system := parseOne(t, `{"type":"system",`+stamp+`"subtype":"local_command","content":"<command-name>/usage</command-name>"}`)
	equal(t, "text key of both forms", system.Prompt.TextKey, user.Prompt.TextKey)
}

// Nothing but session, time and operation makes two queue operations different.
func TestQueueKey(t *testing.T) {
	key := func(fields string) Key { return parseOne(t, `{"type":"queue-operation",`+fields+`}`).QueueKey }
	one := key(`"sessionId":"s","timestamp":"t","operation":"remove","content":"a"`)
	equal(t, "another content", key(`"sessionId":"s","timestamp":"t","operation":"remove","content":"b"`), one)
	for _, fields := range []string{
		`"sessionId":"r","timestamp":"t","operation":"remove"`, `"sessionId":"s","timestamp":"u","operation":"remove"`,
		`"sessionId":"s","timestamp":"t","operation":"popAll"`, `"sessionId":"s","timestamp":"t"`,
	} {
		if key(fields) == one {
			t.Errorf("%s has the same key", fields)
		}
	}
}

func TestNameKey(t *testing.T) {
	one := NameKey("s/subagents/agent-x.jsonl")
	for _, same := range []string{"agent-x.jsonl", "t/agent-x.jsonl.new.jsonl", "agent-x.jsonl.12.tmp.jsonl"} {
		equal(t, same, NameKey(same), one)
	}
	for _, other := range []string{"agent-y.jsonl", "agent-x.2.jsonl", "agent-x.new.jsonl"} {
		if NameKey(other) == one {
			t.Errorf("%s has the same name", other)
		}
	}
}
