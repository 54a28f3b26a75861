package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// BenchmarkStep encodes and decodes journal steps of 1, 10 and 100 entries.
func BenchmarkStep(b *testing.B) {
	entries := someEntries(1000)
	for _, n := range []int{1, 10, 100} {
		var encoded [][]byte
		var steps []*batchStep
		size := 0
		for at := 0; at+n <= len(entries); at += n {
			one := &batchStep{modified: 1_780_000_000_000_000_000, settle: true, fingerprint: tailer.Fingerprint{Offset: 1 << 20, Head: tailer.Checksum{Sum: 1 << 31, Len: 1024}, Last: tailer.Checksum{Sum: 1 << 31, Len: 256}}}
			one.batch = ledger.Batch{File: 2000, Now: 1_780_000_000_000, Bytes: 5000, Entries: entries[at : at+n]}
			steps = append(steps, one)
			encoded = append(encoded, encodeStep(one, nil))
			size += len(encoded[len(encoded)-1])
		}
		b.Run(fmt.Sprint("encode ", n), func(b *testing.B) {
			var buf []byte
			for i := 0; b.Loop(); i++ {
				buf = encodeStep(steps[i%len(steps)], buf[:0])
			}
			b.ReportMetric(float64(size)/float64(len(steps)), "bytes")
		})
		b.Run(fmt.Sprint("decode ", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := decodeStep(encoded[i%len(encoded)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// someEntries returns the entries of generated lines.
func someEntries(n int) []transcript.Entry {
	var buffer transcript.Buffer
	for seed := uint64(0); len(buffer.Entries) < n; seed++ {
		of := transcripttest.Generate(seed, transcripttest.Options{Size: 40})
		for _, name := range slices.Sorted(maps.Keys(of)) {
			parser := transcript.NewParser()
			for line := range strings.Lines(of[name]) {
				parser.Parse([]byte(strings.TrimSuffix(line, "\n")), false, &buffer)
			}
		}
	}
	for i := range buffer.Entries {
		e := &buffer.Entries[i]
		e.AssignKeys(func() transcript.Key { return transcript.KeyOf("place", fmt.Sprint(i)) })
		e.HasProject, e.Project = e.CWD != "", "web"
	}
	return buffer.Entries[:n]
}
