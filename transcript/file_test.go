package transcript

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestIsTranscript(t *testing.T) {
	for base, want := range map[string]bool{
		"11111111-1111-4111-8111-000000000001.jsonl": true,
		"agent-a1.jsonl":       true,
		".jsonl":               true,
		"journal.jsonl":        false,
		"audit.jsonl":          false,
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
		"._x.jsonl":            false,
		"._agent-a1.jsonl":     false,
		"_.x.jsonl":            true,
		".x.jsonl":             true,
	} {
		equal(t, base, IsTranscript(base), want)
	}
}

func TestIsArchive(t *testing.T) {
	for base, want := range map[string]bool{
		"x.jsonl.gz": true, "x.jsonl.zst": true, "agent-a1.jsonl.gz": true,
		"x.jsonl": false, "x.gz": false, "x.json.gz": false, "history.jsonl.gz": false, "._x.jsonl.gz": false,
		"x.jsonl.gz.jsonl": false, "x.jsonl.xz": false, "x.jsonl.GZ": false, "": false,
	} {
		equal(t, base, IsArchive(base), want)
		for _, archive := range ArchivesOf(base) {
			equal(t, archive, IsArchive(archive), IsTranscript(base))
			equal(t, archive, PlainName(archive), base)
		}
	}
}

func TestSkipDir(t *testing.T) {
	for rel, want := range map[string]bool{
		"p/tool-results": true, "p/s/tool-results": true, "p/memory": true, "memory/memory": true, "projects/p/memory": true,
		"tool-results": false, "memory": false, "projects/memory": false, "a/projects/tool-results": false,
		".AppleDouble": true, "p/.AppleDouble": true, "p/s/subagents/@eaDir": true, "p/AppleDouble": false,
		"p/subagents": false, "p/workflows": false, "p/Memory": false, "p/memory2": false, "": false,
	} {
		equal(t, rel, SkipDir(rel), want)
		equal(t, rel, SkipDir(filepath.FromSlash(rel)), want)
	}
}

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
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
	} {
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

func TestNameKey(t *testing.T) {
	key := NameKey("s/subagents/agent-x.jsonl")
	for _, same := range []string{"agent-x.jsonl", "t/agent-x.jsonl.new.jsonl", "agent-x.jsonl.12.tmp.jsonl"} {
		equal(t, same, NameKey(same), key)
	}
	for _, other := range []string{"agent-y.jsonl", "agent-x.2.jsonl", "agent-x.new.jsonl"} {
		if NameKey(other) == key {
			t.Errorf("%s has the same name", other)
		}
	}
}
