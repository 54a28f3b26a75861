package ledger

import (
	"fmt"
	"slices"
	"testing"
)

// A session has a transcript if one has its name, or one of a main conversation begins
// with its lines. A transcript of a sub-agent, or in another source, does not count.
func TestWithoutTranscript(t *testing.T) {
	l := New(testOptions(), birth)
	line := func(session string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%[1]q,"sessionId":%[1]q,"timestamp":"2026-05-01T10:00:00.000Z","message":{"content":"x"}}`, session)
	}
	openWith(l, testFile(1, "named.jsonl"), line("inside"))
	openWith(l, testFile(2, "agent-1.jsonl"), line("parent"))
	ids := []SessionID{{ID: "named"}, {ID: "inside"}, {ID: "parent"}, {ID: "none"}, {testSource, "named"}, {testSource, "inside"}}
	if got := l.WithoutTranscript(ids); !slices.Equal(got, ids[2:]) {
		t.Errorf("got %q", got)
	}
	l.MarkMissing(1)
	if got := l.WithoutTranscript(ids); !slices.Equal(got, ids) {
		t.Errorf("after it was deleted: got %q", got)
	}
}
