package ledger

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// What is remembered of a message and of a tool call is small, also after a
// catch-up, in which all messages are held until the end.
func TestMemory(t *testing.T) {
	const n = 50_000
	for _, tt := range []struct {
		name   string
		line   func(i int) transcript.Entry
		limit  uint64 // bytes each
		counts string
	}{
		{"message", messageEntry, 140, "message"},
		{"tool call", toolEntry, 80, "tool_call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(testOptions(), birth)
			l.Open(testFile(1, "a.jsonl"))
			before := heap()
			for i := range n {
				l.Read(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{tt.line(i)}})
			}
			l.Settle()
			took := (heap() - before) / n
			t.Logf("%d bytes each", took)
			if took > tt.limit || l.Remembered()[tt.counts] != n || l.Unsettled() != 0 {
				t.Errorf("%d take %d bytes each", l.Remembered()[tt.counts], took)
			}
			runtime.KeepAlive(l)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// messageEntry is a message of its own, of a common kind.
func messageEntry(i int) transcript.Entry {
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: "web", Placed: true, Session: transcript.KeyOf("session", "s"),
		Message: &transcript.Message{
			Key: transcript.KeyOf("message", fmt.Sprint(i)), Model: "opus", StopReason: "end_turn",
			Usage: transcript.Usage{Input: 10, Output: 500, CacheRead: 50_000, CacheWrite5m: 1000},
		},
	}
}

// toolEntry is a tool call with its result.
func toolEntry(i int) transcript.Entry {
	key := transcript.KeyOf("tool", fmt.Sprint(i))
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: "web", Placed: true, Session: transcript.KeyOf("session", "s"),
		Uses: []transcript.ToolUse{{Key: key, Name: "Bash"}}, Results: []transcript.ToolResult{{Key: key, Bytes: 1000}},
	}
}
