package daemon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// BenchmarkCatchUp measures the first start over some megabytes.
func BenchmarkCatchUp(b *testing.B) {
	w := newWorld(b)
	var size int64
	for seed := range uint64(20) {
		of := generate(seed, options{size: 40})
		for name, content := range of {
			size += int64(len(content))
			w.put(fmt.Sprintf("%d/%s", seed, name), content, 0)
		}
	}
	b.SetBytes(size)
	for b.Loop() {
		w.state, w.scrapes = b.TempDir(), newScraper(b)
		w.start()
		w.halt()
	}
}

// BenchmarkOnce measures the reading of some hundred megabytes in thousands of
// files. With -cpu 1,2 it tells what the second processor brings.
func BenchmarkOnce(b *testing.B) {
	w := newWorld(b)
	size, files := w.fill(300 << 20)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.TotalAlloc
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Once(b.Context(), w.settings, slog.New(slog.DiscardHandler)); err != nil || r.Files != files {
			b.Fatal(r, err)
		}
	}
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.TotalAlloc-before)/float64(b.N*files), "B/file")
}

// fill writes so many bytes of transcripts, in which results of tools are as
// long as they often are, and returns what it wrote.
func (w *world) fill(want int64) (size int64, files int) {
	w.Helper()
	text := `"content":"` + strings.Repeat("some line of a file that was read\\n", 300)
	for seed := uint64(0); size < want; seed++ {
		of := generate(seed, options{size: 40})
		for name, content := range of {
			content = strings.ReplaceAll(content, `"content":"fine`, text)
			w.put(fmt.Sprintf("%d/%s", seed, name), content, 0)
			size += int64(len(content))
		}
		files += len(of)
	}
	return size, files
}

// BenchmarkStep encodes and decodes steps of so many entries, as they are in the journal.
func BenchmarkStep(b *testing.B) {
	entries := someEntries(1000)
	for _, n := range []int{1, 10, 100} {
		var encoded [][]byte
		var steps []*readStep
		size := 0
		for at := 0; at+n <= len(entries); at += n {
			one := &readStep{modified: 1_780_000_000_000_000_000, settle: true, mark: tailer.Mark{Offset: 1 << 20, Head: tailer.Print{Sum: 1 << 31, Len: 1024}, Last: tailer.Print{Sum: 1 << 31, Len: 256}}}
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

// BenchmarkRestart restores a million keys of 10,000 files from a state directory.
func BenchmarkRestart(b *testing.B) {
	const keys, files = 1_000_000, 10_000
	w := newWorld(b)
	s := newState(w.settings.Ledger, goldenTime)
	key := func(i int) (k transcript.Key) {
		binary.BigEndian.PutUint64(k[:], uint64(i+1)*0x9e3779b97f4a7c15)
		return k
	}
	for id := range files {
		one := &openStep{file: ledger.File{ID: ledger.FileID(id + 1), Kind: transcript.Main, Name: key(id)}, path: key(id), identity: tailer.ID{Device: 1, Inode: uint64(id + 1)}}
		one.apply(s)
		read := &readStep{settle: true, batch: ledger.Batch{File: ledger.FileID(id + 1), Now: goldenTime}}
		for i := id * keys / files; i < (id+1)*keys/files; i++ {
			usage := transcript.Usage{Input: 10, Output: uint64(i % 2000), CacheRead: uint64(i % 150_000), CacheWrite5m: uint64(i % 5000)}
			read.batch.Entries = append(read.batch.Entries, transcript.Entry{Type: "assistant", Time: goldenTime, Message: &transcript.Message{Key: key(i), Model: "opus", StopReason: "end_turn", Usage: usage}})
		}
		read.apply(s)
	}
	store, err := checkpoint.Open(w.state)
	if err != nil {
		b.Fatal(err)
	}
	generation, err := store.Rotate()
	if err = errors.Join(err, store.Commit(generation, encodedState(s)), store.Close()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		d := w.opened()
		if n := d.counted.state.ledger.DedupKeys()["message"]; n != keys {
			b.Fatalf("%d keys", n)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(encodedState(s)))/keys, "bytes/key")
}

// someEntries are what generated lines say.
func someEntries(n int) []transcript.Entry {
	var page transcript.Page
	for seed := uint64(0); len(page.Entries) < n; seed++ {
		of := generate(seed, options{size: 40})
		for _, name := range slices.Sorted(maps.Keys(of)) {
			parser := transcript.NewParser()
			for line := range strings.Lines(of[name]) {
				parser.Parse([]byte(strings.TrimSuffix(line, "\n")), false, &page)
			}
		}
	}
	for i := range page.Entries {
		e := &page.Entries[i]
		e.Identify(func() transcript.Key { return transcript.KeyOf("place", fmt.Sprint(i)) })
		e.Placed, e.Project = e.CWD != "", "web"
	}
	return page.Entries[:n]
}

// BenchmarkLive measures the time from a line being written to a scrape that
// shows it, in a tree that is watched.
func BenchmarkLive(b *testing.B) {
	w := newWorld(b)
	w.settings.Scan = time.Hour
	for i := range 100 {
		w.write(fmt.Sprintf("p%d/%d.jsonl", i%10, i), said(fmt.Sprint("s", i), 5))
	}
	w.start()
	name := w.path("p0/0.jsonl")
	read := func() (sum uint64) {
		snap, _ := snapshot(w.d)
		for _, f := range snap.Families {
			if f.Family.Name == "ccwatchd_read_bytes_total" {
				sum = f.Samples[0].Value
			}
		}
		return sum
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		line := (&talk{name: fmt.Sprint("live", i), session: "s0", cwd: "/p"}).prompt("hello").String()
		want := read() + uint64(len(line))
		begin := time.Now()
		if err := appendTo(name, line); err != nil {
			b.Fatal(err)
		}
		for read() != want {
			runtime.Gosched()
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
