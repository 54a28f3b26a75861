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
				"cacheReadInputTokens":4,"cacheCreationInputTokens":5,"webSearchRequests":6,"costUSD":0.25,"contextWindow":9,
				"cacheCreationEphemeral5mInputTokens":2,"cacheCreationEphemeral1hInputTokens":3,"maxOutputTokens":8,"canonicalModel":"opus","provider":"bedrock"},"h\ti":{"costUSD":1e-9}}`,
			want: []ReportedUsage{
				of("opus[1m]", ReportedUsage{Input: 1, Output: 2, Thinking: 3, CacheRead: 4, CacheWrite: 5, WebSearches: 6, NanoUSD: 250_000_000, ContextWindow: 9}),
				of("h\ti", ReportedUsage{NanoUSD: 1}),
			},
		},
		{"rounded cost", `"sessionId":"s1","modelUsage":{"m":{"costUSD":0.0000000016}}`, []ReportedUsage{of("m", ReportedUsage{NanoUSD: 2})}},
		{
			name:   "numbers that are not counts",
			fields: `"sessionId":"s1","modelUsage":{"m":{"inputTokens":-1,"outputTokens":"2","thinkingTokens":2.9,"costUSD":-0.5,"webSearchRequests":true}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{Thinking: 2})},
		},
		{"impossible cost", `"sessionId":"s1","modelUsage":{"m":{"costUSD":1e300}}`, []ReportedUsage{of("m", ReportedUsage{})}},
		{
			name:   "equal names",
			fields: `"sessionId":"s1","modelUsage":{"m":{"inputTokens":1,"outputTokens":7},"n":{},"\u006d":{"inputTokens":2}}`,
			want:   []ReportedUsage{of("m", ReportedUsage{Input: 2}), of("n", ReportedUsage{})},
		},
		{name: "no session", fields: `"modelUsage":{"m":{"inputTokens":1}}`},
		{name: "not an object", fields: `"sessionId":"s1","modelUsage":[{"m":{"inputTokens":1}}]`},
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
