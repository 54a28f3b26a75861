package transcript

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("x", 128)
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "claude-opus-4-6", "claude-opus-4-6"},
		{"quotes stay", `a"b\c`, `a"b\c`},
		{"controls", "\x00a\tb\nc\x1fd\x7fe", "abcde"},
		{"other controls stay", "a\u0085b\u200b", "a\u0085b\u200b"},
		{"only controls", "\n\n", ""},
		{"invalid", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"invalid in a row", "\xff\xff", "\ufffd\ufffd"},
		{"longest", long, long},
		{"too long", long + "y", long},
		{"too long only before", long + "\n", long},
		{"cut at a character", long[1:] + "é", long[1:]},
		{"character that fits", long[2:] + "é", long[2:] + "é"},
		{"nothing behind the cut", long[1:] + "éa", long[1:]},
		{"invalid at the cut", long[2:] + "\xff", long[2:]},
		{"four bytes", strings.Repeat("😀", 40), strings.Repeat("😀", 32)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			equal(t, "clean", Clean(tt.in), tt.want)
			equal(t, "clean again", Clean(tt.want), tt.want)
		})
	}
}

func TestParseTime(t *testing.T) {
	tests := []struct {
		stamp string
		want  int64
	}{
		{"2026-02-03T04:05:06.789Z", 1770091506789},
		{"2000-01-01T00:00:00.000Z", 946684800000},
		{"2100-12-31T23:59:59.999Z", 4133980799999},
		{"2026-02-03T04:05:06Z", 1770091506000},
		{"2026-02-03T04:05:06.7Z", 1770091506700},
		{"2026-02-03T04:05:06.7894Z", 1770091506789},
		{"2026-02-03T04:05:06.789999999Z", 1770091506790},
		{"2026-02-03T05:05:06.789+01:00", 1770091506789},
		{"2026-02-02T22:05:06.789-0600", 1770091506789},
		{"2026-02-03 04:05:06.789Z", 1770091506789},
		{"2026-02-03T04:05:06.789", 1770091506789},
		{"2026-02-03 04:05:06", 1770091506000},

		{"1999-12-31T23:59:59.999Z", 0},
		{"2101-01-01T00:00:00.000Z", 0},
		{"2000-01-01T00:30:00+01:00", 0},
		{"1999-12-31T23:30:00-01:00", 946686600000},
		{"0001-01-01T00:00:00Z", 0},
		{"9999-12-31T23:59:59Z", 0},
		{"2026-02-30T00:00:00Z", 0},
		{"2026-02-03T24:00:00Z", 0},
		{"2026-02-03T04:05:60Z", 0},
		{"1770091506789", 0},
		{" 2026-02-03T04:05:06.789Z", 0},
		{"now", 0},
		{"", 0},
	}
	for _, tt := range tests {
		equal(t, tt.stamp, parseTime([]byte(tt.stamp)), tt.want)
	}
}

func TestIsTranscript(t *testing.T) {
	for base, want := range map[string]bool{
		"11111111-1111-4111-8111-000000000001.jsonl": true,
		"agent-a1.jsonl":       true,
		".jsonl":               true,
		"journal.jsonl":        false,
		"history.jsonl":        false,
		"x.jsonl.backup":       false,
		"x.jsonl.bak":          false,
		"x.jsonl.handed-off":   false,
		"x.JSONL":              false,
		"agent-a1.meta.json":   false,
		"sessions-index.json":  false,
		"myjournal.jsonl":      true,
		"journal.jsonl.jsonl":  true,
		"jsonl":                false,
		"":                     false,
		"a history.jsonl":      true,
		"toolu_01.txt":         false,
		"agent-a1.jsonl.tmp12": false,
	} {
		equal(t, base, IsTranscript(base), want)
	}
}

func TestSkipDir(t *testing.T) {
	for base, want := range map[string]bool{
		"tool-results": true, "memory": true,
		"subagents": false, "workflows": false, "Memory": false, "memory2": false, "": false,
	} {
		equal(t, base, SkipDir(base), want)
	}
}

func TestKindOf(t *testing.T) {
	tests := []struct {
		rel            string
		kind           FileKind
		agent, replays bool
	}{
		{"-p/s.jsonl", "main", false, false},
		{"s.jsonl", "main", false, false},
		{"workflows/s.jsonl", "main", false, false},
		{"agent-a/s.jsonl", "main", false, false},
		{"-p/not-agent-a1.jsonl", "main", false, false},
		{"-p/agent.jsonl", "main", false, false},
		{"", "main", false, false},
		{"-p/agent-a1.jsonl", "task", true, false},
		{"agent-a1.jsonl", "task", true, false},
		{"-p/s/agent-a1.jsonl", "task", true, false},
		{"-p/s/subagents/agent-a1.jsonl", "task", true, false},
		{"-p/s/subagents/agent-compact-1.jsonl", "task", true, false},
		{"-p/s/subagents/agent-acompact.jsonl", "task", true, false},
		{"-p/my-workflows/agent-a1.jsonl", "task", true, false},
		{"-p/s/subagents/workflows/wf_1/agent-a1.jsonl", "workflow", true, false},
		{"workflows/agent-a1.jsonl", "workflow", true, false},
		{"-p/s/subagents/agent-acompact-1.jsonl", "compact", true, true},
		{"-p/s/workflows/agent-acompact-1.jsonl", "compact", true, true},
		{"-p/s/subagents/agent-aprompt_suggestion-1.jsonl", "prompt_suggestion", true, true},
		{"-p/s/subagents/agent-aside_question-1.jsonl", "side_question", true, true},
	}
	for _, tt := range tests {
		for _, rel := range []string{tt.rel, filepath.FromSlash(tt.rel)} {
			kind := KindOf(rel)
			equal(t, rel, kind, tt.kind)
			equal(t, rel+" agent", kind.IsAgent(), tt.agent)
			equal(t, rel+" replays", kind.Replays(), tt.replays)
			equal(t, rel+" in AgentKinds", slices.Contains(AgentKinds, kind), tt.agent)
		}
	}
	equal(t, "warm-up is an agent's", Warmup.IsAgent(), true)
	equal(t, "warm-up replays", Warmup.Replays(), false)
}
