package ledger

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// BenchmarkRead counts entries of the most frequent kinds.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name  string
		entry func(i int) transcript.Entry
	}{
		{"message", messageEntry},
		{"copy", func(int) transcript.Entry { return messageEntry(0) }},
		{"tool", toolEntry},
		{"other", func(int) transcript.Entry { return transcript.Entry{Type: "progress", Time: birth} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l := New(testOptions(), birth)
			l.Open(testFile(1, "a.jsonl"))
			entries := make([]transcript.Entry, 1000)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%len(entries) == 0 {
					b.StopTimer()
					for j := range entries {
						entries[j] = bench.entry(i + j)
					}
					b.StartTimer()
				}
				l.AddBatch(&Batch{File: 1, Now: birth, Entries: entries[i%len(entries):][:1]})
				l.Settle()
			}
		})
	}
}

// BenchmarkCode saves and restores a million keys of 10,000 files.
func BenchmarkCode(b *testing.B) {
	const n, files = 1_000_000, 10_000
	l := New(testOptions(), birth)
	r := rand.New(rand.NewPCG(1, 9))
	for id := range FileID(files) {
		l.Open(File{ID: id, Kind: transcript.Main, Name: randomKey(r)})
	}
	for i := range n {
		entry := [...]func(*rand.Rand) transcript.Entry{randomMessage, randomTool, randomTool, randomMessage, randomTurn}[i%5]
		l.AddBatch(&Batch{File: FileID(i * (files / 100) / (n / 100)), Now: birth, Entries: []transcript.Entry{entry(r)}})
		if i%100 == 0 {
			l.Settle()
		}
	}
	l.Settle()
	encoded := encode(l)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Code(table.NewWriter(make([]byte, 0, len(encoded))))
		}
		b.ReportMetric(float64(len(encoded))/n, "bytes/key")
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			again := New(Options{}, 0)
			c := table.NewReader(encoded)
			if again.Code(c); c.Done() != nil {
				b.Fatal(c.Done())
			}
		}
	})
}

// messageEntry is a typical message; i determines its id.
func messageEntry(i int) transcript.Entry {
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: "web", HasProject: true, Session: transcript.KeyOf("session", "s"),
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
		Type: "assistant", Time: birth, Project: "web", HasProject: true, Session: transcript.KeyOf("session", "s"),
		Uses: []transcript.ToolUse{{Key: key, Name: "Bash"}}, Results: []transcript.ToolResult{{Key: key, Bytes: 1000}},
	}
}
