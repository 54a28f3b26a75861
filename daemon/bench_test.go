package daemon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// BenchmarkCatchUp measures the first start over some megabytes.
func BenchmarkCatchUp(b *testing.B) {
	w := newWorld(b)
	var size int64
	for seed := range uint64(20) {
		of := generate(seed, options{Size: 40})
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
		of := generate(seed, options{Size: 40})
		for name, content := range of {
			content = strings.ReplaceAll(content, `"content":"fine`, text)
			w.put(fmt.Sprintf("%d/%s", seed, name), content, 0)
			size += int64(len(content))
		}
		files += len(of)
	}
	return size, files
}

// BenchmarkRestart restores a million keys of 10,000 files from a state directory.
func BenchmarkRestart(b *testing.B) {
	const keys, files, when = 1_000_000, 10_000, 1_790_000_000_000
	w := newWorld(b)
	s := state.New(w.settings.Ledger, time.Now)
	key := func(i int) (k transcript.Key) {
		binary.BigEndian.PutUint64(k[:], uint64(i+1)*0x9e3779b97f4a7c15)
		return k
	}
	for id := range files {
		s.Open(ledger.File{ID: ledger.FileID(id + 1), Kind: transcript.Main, Name: key(id)}, key(id), tailer.ID{Device: 1, Inode: uint64(id + 1)}, 0)
		batch := ledger.Batch{File: ledger.FileID(id + 1), Now: when}
		for i := id * keys / files; i < (id+1)*keys/files; i++ {
			usage := transcript.Usage{Input: 10, Output: uint64(i % 2000), CacheRead: uint64(i % 150_000), CacheWrite5m: uint64(i % 5000)}
			batch.Entries = append(batch.Entries, transcript.Entry{Type: "assistant", Time: when, Message: &transcript.Message{Key: key(i), Model: "opus", StopReason: "end_turn", Usage: usage}})
		}
		s.AddBatch(batch, tailer.Fingerprint{}, 0, true)
	}
	store, err := checkpoint.Open(w.state)
	if err != nil {
		b.Fatal(err)
	}
	generation, err := store.Rotate()
	if err = errors.Join(err, store.Commit(generation, encoded(s)), store.Close()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		d := w.opened()
		if n := d.state.FileCount(); n != files {
			b.Fatalf("%d files", n)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(encoded(s)))/keys, "bytes/key")
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
		line := (&talk{Name: fmt.Sprint("live", i), ID: "s0", CWD: "/p"}).Prompt("hello").String()
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
