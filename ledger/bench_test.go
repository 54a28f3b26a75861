package ledger

import (
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/wire"
)

// BenchmarkRead counts entries of the kinds that there are most of.
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
				l.Read(&Batch{File: 1, Now: birth, Entries: entries[i%len(entries):][:1]})
				l.Settle()
			}
		})
	}
}

func BenchmarkCode(b *testing.B) {
	const n = 200_000
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	for i := range n {
		l.Read(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{messageEntry(i)}})
	}
	l.Settle()
	encoded := coded(l)
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			l.Code(wire.NewWriter(encoded[:0:len(encoded)]))
		}
		b.ReportMetric(float64(len(encoded))/n, "bytes/message")
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			again := New(Options{}, 0)
			c := wire.NewReader(encoded)
			if again.Code(c); c.Done() != nil {
				b.Fatal(c.Done())
			}
		}
	})
}
