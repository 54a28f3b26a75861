package ledger

import (
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// The transcripts of a session are those with its usage, and the transcript that named
// it first, which may have none.
func TestTranscriptsOfSessionWithoutMain(t *testing.T) {
	l := New(testOptions(), birth)
	line := func(id, more string) string {
		return fmt.Sprintf(`{"uuid":%q,"sessionId":"s","isSidechain":true,"timestamp":"2026-05-01T10:00:00.000Z",%s}`, id, more)
	}
	const message = `"type":"assistant","message":{"id":"msg_1","model":"opus","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2},"content":[{"type":"text","text":"x"}]}`
	openWith(l, testFile(1, "agent-1.jsonl"), line("a", `"type":"user","message":{"content":"x"}`))
	openWith(l, testFile(2, "agent-2.jsonl"), line("b", message))
	openWith(l, testFile(3, "agent-3.jsonl"), `{"type":"user","uuid":"c","sessionId":"other","timestamp":"2026-05-01T10:00:00.000Z","message":{"content":"y"}}`)
	l.Settle()
	files := l.TranscriptsOf(SessionID{ID: "s"})
	for i, want := range []bool{true, true, false} {
		if got := files.Has("", transcript.NameKey(fmt.Sprintf("agent-%d.jsonl", i+1))); got != want {
			t.Errorf("file %d: got %v", i+1, got)
		}
	}
}
