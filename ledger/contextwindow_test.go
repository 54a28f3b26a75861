package ledger

import (
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestUsualContextWindows(t *testing.T) {
	for model, want := range map[string]uint64{
		"claude-opus-4-7": 1e6, "claude-opus-4-8": 1e6, "claude-opus-5": 1e6, "claude-opus-5-5": 1e6,
		"claude-sonnet-5": 1e6, "claude-sonnet-5-5": 1e6, "claude-haiku-5-5": 1e6,
		"claude-fable-5": 1e6, "claude-fable-5-1": 1e6, "claude-fable-5-2": 1e6, "claude-mythos-5": 1e6, "claude-mythos-5-1": 1e6,
		"claude-sonnet-6": 1e6, "claude-opus-4-10": 1e6, "claude-opus-10": 1e6,
		"us.anthropic.claude-opus-4-8-v1:0": 1e6, "claude-opus-4-8-20260401": 1e6, "claude-opus-4-8-xhigh": 1e6,
		"gemini-claude-opus-4-8": 1e6, "anthropic/claude-opus-4.8": 1e6, "claude-4.8-opus": 1e6, "Claude Haiku 5.5": 1e6,

		"claude-sonnet-4-5": 2e5, "claude-sonnet-4-6": 2e5, "claude-opus-4-5": 2e5, "claude-opus-4-6": 2e5, "claude-haiku-4-5": 2e5,
		"claude-opus-4-1": 2e5, "claude-opus-4": 2e5, "claude-sonnet-4-20250514": 2e5, "claude-haiku-4-5-20251001": 2e5,
		"claude-3-7-sonnet-20250219": 2e5, "claude-3-opus": 2e5, "anthropic.claude-opus-4-6-v1": 2e5, "claude-4.6-opus": 2e5,

		"claude-sonnet-4-5[1m]": 1e6, "opus[1M]": 1e6, "glm-5[1m]": 1e6,

		"": 0, "claude": 0, "claude-": 0, "claude-opus": 0, "claude-opus-next": 0, "claude-opus-20250514": 0, "glm-5": 0, "gpt-4.1": 0,
	} {
		if got := ContextWindow(0, 0, model); got != want {
			t.Errorf("%s: got %d, want %d", model, got, want)
		}
	}
}

// A window counts only if it holds the context. The status line comes before the
// transcript, and that before the model.
func TestContextWindow(t *testing.T) {
	for _, tt := range []struct {
		reported, stated, context uint64
		model                     string
		want                      uint64
	}{
		{0, 0, 0, "glm", 0},
		{0, 0, 1, "glm", 200_000},
		{0, 0, 200_001, "glm", 1_000_000},
		{0, 0, 1_000_001, "glm", 0},
		{128_000, 0, 0, "glm", 128_000},
		{500_000, 300_000, 1000, "claude-opus-5", 500_000},
		{500_000, 300_000, 500_001, "claude-opus-5", 1_000_000},
		{0, 300_000, 1000, "claude-opus-5", 300_000},
		{1000, 300_000, 2000, "claude-opus-5", 300_000},
		{0, 300_000, 300_001, "claude-sonnet-4-6", 1_000_000},
		{0, 0, 170_000, "claude-opus-5-5", 1_000_000},
		{0, 0, 170_000, "claude-sonnet-4-5", 200_000},
	} {
		s := Session{Model: tt.model, Context: tt.context, Window: tt.stated}
		if got := s.ContextWindow(tt.reported); got != tt.want {
			t.Errorf("%+v: got %d", tt, got)
		}
	}
}

// A session has the window that its transcript states for the model of its latest
// request, until another model answers.
func TestStatedContextWindow(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	at := int64(birth)
	step := func(what string, e transcript.Entry, want uint64) {
		t.Helper()
		at += 1000
		line := sessionEntry("s", at)
		line.Type, line.Message, line.Reported = e.Type, e.Message, e.Reported
		l.AddBatch(&Batch{File: 1, Now: at, Entries: []transcript.Entry{line}})
		l = reopened(t, l)
		if got := l.SessionList(everySession, at).Sessions[0].Window; got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	request := func(model string) transcript.Entry {
		return transcript.Entry{Type: "assistant", Message: &transcript.Message{
			Key: transcript.KeyOf("message", model), Model: model, StopReason: "end_turn", Usage: transcript.Usage{Input: 7},
		}}
	}
	states := func(windows ...transcript.ReportedUsage) transcript.Entry {
		return transcript.Entry{Type: "cost-state", Reported: windows}
	}
	step("no request", transcript.Entry{Type: "user"}, 0)
	step("before a request", states(transcript.ReportedUsage{Model: "claude-opus-4-6", ContextWindow: 5}), 0)
	step("a request", request("claude-opus-4-6"), 0)
	step("another model", states(transcript.ReportedUsage{Model: "claude-haiku-4-5", ContextWindow: 5}), 0)
	step("its model", states(
		transcript.ReportedUsage{Model: "claude-opus-4-6[1m]", ContextWindow: 1_000_000}, transcript.ReportedUsage{Model: "claude-haiku-4-5", ContextWindow: 5},
	), 1_000_000)
	step("none", states(transcript.ReportedUsage{Model: "claude-opus-4-6"}), 1_000_000)
	step("the same model", request("claude-opus-4-6"), 1_000_000)
	step("a change", request("claude-haiku-4-5"), 0)
}
