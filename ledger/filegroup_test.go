package ledger

import (
	"maps"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
)

// A key is kept while a file that repeats it exists, even if the file that had it first
// is forgotten: a third file does not count it again.
func TestCopiesInOtherFiles(t *testing.T) {
	const (
		advised = `{"type":"assistant","message":{"id":"m1","model":"m","stop_reason":"end_turn","usage":{"output_tokens":1,` +
			`"iterations":[{"type":"advisor_message","model":"n","output_tokens":5}]}}}`
		call       = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_0000001","name":"Bash"}]}}`
		result     = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0000001","is_error":true,"content":"x"}]}}`
		prompt     = `{"type":"user","uuid":"u","timestamp":"2026-05-01T10:00:00Z","message":{"content":"hi"}}`
		renewed    = `{"type":"user","uuid":"v","timestamp":"2026-05-01T10:00:00Z","message":{"content":"hi"}}`
		turn       = `{"type":"system","subtype":"turn_duration","uuid":"u","durationMs":5}`
		compaction = `{"type":"system","subtype":"compact_boundary","uuid":"u"}`
		session    = `{"type":"user","sessionId":"s","message":{}}`
	)
	type files = []string
	for _, tt := range []struct {
		name                string
		gone, stays, repeat files
		family              string
		want                uint64 // with everything once
	}{
		{"message", files{finalMessage}, files{finalMessage}, files{finalMessage}, "claude_requests_total", 1},
		{"message in part", files{unfinishedMessage}, files{unfinishedMessage}, files{finalMessage}, "claude_requests_total", 1},
		{"advisor", files{advised}, files{advised}, files{advised}, "claude_tokens_total", 6},
		{"call", files{call}, files{call}, files{call}, "claude_tool_calls_total", 1},
		{"call and result", files{call, result}, files{result}, files{call, result}, "claude_tool_errors_total", 1},
		{"call, its result elsewhere", files{call}, files{result}, files{call, result}, "claude_tool_errors_total", 1},
		{"result, its call elsewhere", files{result}, files{call}, files{call, result}, "claude_tool_errors_total", 1},
		{"result without a call", files{result}, files{result}, files{result}, "claude_tool_errors_total", 1},
		{"prompt", files{prompt}, files{prompt}, files{renewed}, "claude_prompts_total", 1},
		{"prompt with another uuid", files{prompt}, files{renewed}, files{prompt}, "claude_prompts_total", 1},
		{"turn", files{turn}, files{turn}, files{turn}, "claude_turn_duration_seconds", 1},
		{"compaction", files{compaction}, files{compaction}, files{compaction}, "claude_compactions_total", 1},
		{"session", files{session}, files{session}, files{session}, "claude_sessions_total", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			count := func(stays bool) uint64 {
				l := New(testOptions(), birth)
				for id, lines := range []files{tt.gone, tt.stays, tt.repeat} {
					switch {
					case id == 1 && !stays:
						continue
					case id == 2:
						l = reopened(t, l)
						l.Forget([]FileID{1}, birth)
						l = reopened(t, l)
					}
					openWith(l, testFile(FileID(id+1), "a.jsonl"), lines...)
					l.Settle()
				}
				l.FinalizeFile(2, birth)
				l.FinalizeFile(3, birth)
				return value(l, tt.family)
			}
			if got := count(true); got != tt.want {
				t.Errorf("with a copy that stays: got %d, want %d", got, tt.want)
			}
			if got := count(false); got != 2*tt.want && tt.name != "call, its result elsewhere" && tt.name != "result, its call elsewhere" {
				t.Errorf("without a copy: got %d, want %d", got, 2*tt.want)
			}
		})
	}
}

// A group is kept while one of its files is known, however they are joined.
func TestFileGroups(t *testing.T) {
	g := newFileGroups(new(table.Set))
	for _, pair := range [][2]FileID{{1, 2}, {4, 3}, {2, 2}, {3, 2}, {1, 4}, {6, 5}} {
		g.join(pair[0], pair[1])
	}
	for f, want := range map[FileID]FileID{1: 1, 2: 1, 3: 1, 4: 1, 5: 5, 6: 5, 7: 7} {
		if got := g.root(f); got != want {
			t.Errorf("root of %d: got %d, want %d", f, got, want)
		}
	}
	if want := map[FileID]uint32{1: 4, 5: 2}; !maps.Equal(g.size, want) {
		t.Errorf("got sizes %v, want %v", g.size, want)
	}

	l := New(testOptions(), birth)
	for id := range FileID(3) {
		openWith(l, testFile(id, "a.jsonl"), `{"type":"user","sessionId":"s","message":{}}`)
	}
	l.Forget([]FileID{0}, birth)
	l.Forget([]FileID{2}, birth)
	if l.sessions.seen.Len() != 1 || l.groups.parents.Len() != 2 {
		t.Errorf("got %d sessions in %v", l.sessions.seen.Len(), l.groups.flat())
	}
	l.Forget([]FileID{1}, birth)
	if l.sessions.seen.Len() != 0 || l.groups.parents.Len()+len(l.groups.size) != 0 {
		t.Errorf("got %d sessions in %v", l.sessions.seen.Len(), l.groups.flat())
	}
}
