package transcript

import (
	"testing"
	_ "time/tzdata" // the same zones everywhere
)

func TestLimitHit(t *testing.T) {
	const at = 1_790_409_000_000
	quota := func(fields string) string { return `"error":"rate_limit","quotaLimits":{` + fields + `},` }
	for _, tt := range []struct {
		name, fields, text string
		window             string // "" for no limit
		resets             int64
	}{
		{name: "session", fields: quota(`"status":"rejected","resetsAt":1790409000,"rateLimitType":"five_hour"`), text: "You've hit your individual spend limit", window: "five_hour", resets: at},
		{name: "week", fields: quota(`"status":"rejected","resetsAt":1790409000,"rateLimitType":"seven_day"`), window: "seven_day", resets: at},
		{name: "new type", fields: quota(`"status":"rejected","rateLimitType":"two_hour"`), window: "two_hour"},
		{name: "type that is cleaned", fields: quota(`"status":"rejected","rateLimitType":"two\u0007_hour"`), window: "two_hour"},
		{name: "type of nothing", fields: quota(`"status":"rejected","rateLimitType":"\u0007"`), window: "unknown"},
		{name: "week of a model", fields: quota(`"status":"rejected","rateLimitType":"seven_day_overage_included"`), window: "seven_day_overage_included"},
		{name: "impossible time", fields: quota(`"status":"rejected","rateLimitType":"seven_day","resetsAt":1099511627776`), window: "seven_day"},
		{name: "time of the wrong type", fields: quota(`"status":"rejected","rateLimitType":"seven_day","resetsAt":"soon"`), window: "seven_day"},
		{name: "other class", fields: `"error":"unknown","quotaLimits":{"status":"rejected","rateLimitType":"overage"},`, window: "overage"},
		{name: "allowed", fields: quota(`"status":"allowed","rateLimitType":"five_hour"`), text: "API Error: 429"},
		{name: "allowed, but the text", fields: quota(`"status":"allowed","rateLimitType":"five_hour"`), text: "You've hit your weekly limit", window: "seven_day"},
		{name: "no type", fields: quota(`"status":"rejected"`), text: "You've hit your session limit · resets 3pm", window: "five_hour"},
		{name: "not an object", fields: `"error":"rate_limit","quotaLimits":["rejected"],`, text: "429"},

		{name: "bare text", text: "You've hit your limit · resets 2pm (Europe/Berlin)", window: "unknown"},
		{name: "hint about sessions", text: "You've hit your limit · resets 2pm · your session goes on", window: "unknown"},
		{name: "5-hour", text: "5-hour limit reached ∙ resets 2am", window: "five_hour"},
		{name: "weekly", text: "Weekly limit reached ∙ resets Oct 6, 3pm", window: "seven_day"},
		{name: "opus", text: "Opus weekly limit reached ∙ resets Oct 6, 1pm", window: "seven_day_opus"},
		{name: "sonnet", text: "You've hit your Sonnet limit", window: "seven_day_sonnet"},
		{name: "spend", text: "You've hit your monthly spend limit · raise it", window: "overage"},
		{name: "credits", fields: `"error":"rate_limit",`, text: "You're out of usage credits.", window: "overage"},
		{name: "extra", text: "You're out of extra usage · resets 3pm", window: "overage"},
		{name: "model", fields: `"error":"rate_limit",`, text: "You've reached your Fable 5 limit.", window: "seven_day_overage_included"},
		{name: "model without its number", text: "You've hit your Fable limit · resets 2pm", window: "seven_day_overage_included"},
		{name: "model that only a field shows", fields: `"error":"billing_error","apiError":"model_requires_usage_credits",`, text: "You've reached your Saga limit", window: "seven_day_overage_included"},
		{name: "model that is not part of the plan", fields: `"error":"rate_limit","apiError":"model_requires_usage_credits",`, text: "Fable 5 requires usage credits"},
		{name: "epoch", text: "Claude AI usage limit reached|1790409000", window: "unknown", resets: at},
		{name: "no epoch", text: "Claude AI usage limit reached|soon", window: "unknown"},
		{name: "too many requests", text: "API Error: Rate limit reached"},
		{name: "busy", fields: `"error":"rate_limit",`, text: "Server is temporarily limiting requests (not your usage limit)"},
		{name: "class without a limit", fields: `"error":"invalid_request",`, text: "You've hit your limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"assistant",`+tt.fields+`"isApiErrorMessage":true`+
				`,"message":{"model":"<synthetic>","usage":{},"content":[{"type":"text","text":"`+tt.text+`"}]}}`)
			if tt.window == "" {
				if e.LimitHit != nil {
					t.Errorf("got %+v, want no limit", *e.LimitHit)
				}
				return
			}
			if e.LimitHit == nil {
				t.Fatal("no limit, want one")
			}
			equal(t, "limit", *e.LimitHit, LimitHit{Window: tt.window, Resets: tt.resets, Text: KeyOf("limit text", tt.text)})
		})
	}
}

// Only errors hit a limit: Claude Code states quotas on other lines, too.
func TestNoLimitHit(t *testing.T) {
	for _, line := range []string{
		`{"type":"assistant","quotaLimits":{"status":"rejected","rateLimitType":"five_hour"},"message":{"content":[]}}`,
		`{"type":"user","isApiErrorMessage":true,"quotaLimits":{"status":"rejected","rateLimitType":"five_hour"},"message":{"content":[]}}`,
	} {
		if e := parseOne(t, line); e.LimitHit != nil {
			t.Errorf("%s: got %+v", line, *e.LimitHit)
		}
	}
}

// The text of an error states when a window of five hours ends, in a time zone.
func TestResetInText(t *testing.T) {
	const session = "You've hit your session limit · "
	for _, tt := range []struct {
		at, text, want string
	}{
		{"2026-11-20T14:10:00.000Z", session + "resets 3:50pm (UTC)", "2026-11-20T15:50:00.000Z"},
		{"2026-11-20T14:10:00.000Z", session + "resets 3:50pm (Europe/Berlin)", "2026-11-20T14:50:00.000Z"},
		{"2026-11-20T14:50:00.001Z", session + "resets 3:50pm (Europe/Berlin)", ""}, // tomorrow is too late
		{"2026-11-20T14:10:00.000Z", session + "resets 4:50pm (Europe/Berlin)", "2026-11-20T15:50:00.000Z"},
		{"2026-11-20T23:30:00.000Z", session + "resets 5:20am (Europe/Berlin)", "2026-11-21T04:20:00.000Z"},
		{"2026-11-20T22:30:00.000Z", session + "resets 12am (Europe/Berlin)", "2026-11-20T23:00:00.000Z"},
		{"2026-11-20T10:30:00.000Z", session + "resets 12:00 PM (UTC)", "2026-11-20T12:00:00.000Z"},
		{"2026-11-20T10:30:00.000Z", "5-hour limit reached ∙ resets 8pm (Asia/Kolkata)", "2026-11-20T14:30:00.000Z"},
		{"2026-11-20T10:30:00.000Z", session + "resets 10:30am (UTC)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 10:00pm (UTC)", ""}, // too late
		{"2026-11-20T10:30:00.000Z", session + "resets 1pm", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 13pm (UTC)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 0:30pm (UTC)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 1:60pm (UTC)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 1pm (Local)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 1pm (Mars/Base)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets 1pm (/etc/passwd)", ""},
		{"2026-11-20T10:30:00.000Z", session + "resets Nov 20, 1pm (UTC)", ""},
		{"2026-11-20T10:30:00.000Z", "You've hit your weekly limit · resets 1pm (UTC)", ""},
		{"", session + "resets 1pm (UTC)", ""},
	} {
		e := parseOne(t, `{"type":"assistant","timestamp":"`+tt.at+`","error":"rate_limit","isApiErrorMessage":true`+
			`,"message":{"model":"<synthetic>","usage":{},"content":[{"type":"text","text":"`+tt.text+`"}]}}`)
		want := parseTime([]byte(tt.want))
		if e.LimitHit == nil || e.LimitHit.Until != want || e.LimitHit.Resets != 0 {
			t.Errorf("%s at %s: got %+v, want %d", tt.text, tt.at, e.LimitHit, want)
		}
	}
	stated := parseOne(t, `{"type":"assistant","timestamp":"2026-11-20T10:30:00.000Z","isApiErrorMessage":true,`+
		`"quotaLimits":{"status":"rejected","rateLimitType":"five_hour","resetsAt":1795186200},"message":{"content":[{"type":"text","text":"`+session+`resets 1pm (UTC)"}]}}`)
	if stated.LimitHit.Resets != 1_795_186_200_000 || stated.LimitHit.Until != 0 {
		t.Errorf("got %+v", stated.LimitHit)
	}
}
