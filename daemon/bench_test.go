package daemon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// writeGenerated writes a generated tree, in which replacer replaces text.
func (h *harness) writeGenerated(seed uint64, replacer *strings.Replacer) (size int64, files int) {
	h.Helper()
	of := transcripttest.Generate(seed, transcripttest.Options{Size: 40})
	for name, text := range of {
		text = replacer.Replace(text)
		size += int64(len(text))
		h.Write(fmt.Sprintf("%d/%s", seed, name), text)
	}
	return size, len(of)
}

// reportPercentiles reports the median and p99 of some durations.
func reportPercentiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// BenchmarkCatchUp measures the first start with some megabytes.
func BenchmarkCatchUp(b *testing.B) {
	h := newHarness(b)
	var total int64
	for seed := range uint64(20) {
		size, _ := h.writeGenerated(seed, strings.NewReplacer())
		total += size
	}
	b.SetBytes(total)
	for b.Loop() {
		h.stateDir, h.scraper = b.TempDir(), newScraper(b)
		h.start()
		h.stop()
	}
}

// BenchmarkOnce measures reading some hundred megabytes in thousands of files, with
// results of tools of realistic length. With -cpu 1,2 it shows the effect of a second
// processor.
func BenchmarkOnce(b *testing.B) {
	h := newHarness(b)
	long := strings.NewReplacer(`"content":"fine`, `"content":"`+strings.Repeat("some line of a file that was read\\n", 300))
	var total int64
	var files int
	for seed := uint64(0); total < 300<<20; seed++ {
		size, n := h.writeGenerated(seed, long)
		total, files = total+size, files+n
	}
	before := allocated()
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Once(b.Context(), h.settings, slog.New(slog.DiscardHandler)); err != nil || r.Files != files {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(allocated()-before)/float64(b.N*files), "B/file")
}

// BenchmarkRestart restores a million keys of 10,000 files.
func BenchmarkRestart(b *testing.B) {
	const keys, files, when = 1_000_000, 10_000, 1_790_000_000_000
	h := newHarness(b)
	s := state.New(h.settings.Ledger, time.Now)
	key := func(i int) (k transcript.Key) {
		binary.BigEndian.PutUint64(k[:], uint64(i+1)*0x9e3779b97f4a7c15)
		return k
	}
	for i := range files {
		id := ledger.FileID(i + 1)
		s.Open(ledger.File{ID: id, Kind: transcript.Main, Name: key(i)}, key(i), tailer.ID{Device: 1, Inode: uint64(id)}, 0)
		batch := ledger.Batch{File: id, Now: when}
		for i := i * keys / files; i < (i+1)*keys/files; i++ {
			usage := transcript.Usage{
				Input: 10, Output: uint64(i % 2000), CacheRead: uint64(i % 150_000), CacheWrite5m: uint64(i % 5000),
			}
			message := &transcript.Message{Key: key(i), Model: "opus", StopReason: "end_turn", Usage: usage}
			batch.Entries = append(batch.Entries, transcript.Entry{Type: "assistant", Time: when, Message: message})
		}
		s.AddBatch(batch, tailer.Fingerprint{}, 0, true)
	}
	store, err := checkpoint.Open(h.stateDir)
	h.Must(err)
	generation, err := store.Rotate()
	h.Must(errors.Join(err, store.Commit(generation, encoded(s)), store.Close()))
	b.ReportAllocs()
	for b.Loop() {
		d := h.newDaemon()
		if n := d.state.FileCount(); n != files {
			b.Fatalf("got %d files, want %d", n, files)
		}
		h.Must(d.Close())
	}
	b.ReportMetric(float64(len(encoded(s)))/keys, "bytes/key")
}

// BenchmarkLive measures the time from writing a line to a scrape that exposes it,
// while scrapes are taken all the time.
func BenchmarkLive(b *testing.B) {
	h := newHarness(b)
	h.settings.Scan = time.Hour
	for i := range 100 {
		h.Write(fmt.Sprintf("p%d/%d.jsonl", i%10, i), replies(fmt.Sprint("s", i), 5))
	}
	h.start()
	bytesRead := func() (sum uint64) {
		snap, _ := snapshot(h.d)
		for _, f := range snap.Families {
			if f.Family.Name == readBytes {
				sum = f.Samples[0].Value
			}
		}
		return sum
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		line := (&session{Name: fmt.Sprint("live", i), ID: "s0", CWD: "/p"}).Prompt("hello").String()
		want := bytesRead() + uint64(len(line))
		begin := time.Now()
		h.Append("p0/0.jsonl", line)
		for bytesRead() != want {
			runtime.Gosched()
		}
		took = append(took, time.Since(begin))
	}
	reportPercentiles(b, took)
}

// A notifyingJournal sends to read for every batch of lines.
type notifyingJournal struct {
	*checkpoint.Store
	read chan<- struct{}
}

func (j notifyingJournal) Append(step []byte) error {
	const batch = 2 // field of a step
	err := j.Store.Append(step)
	if n, _, _ := protowire.ConsumeTag(step); n == batch {
		j.read <- struct{}{}
	}
	return err
}

// BenchmarkWake measures the time from writing a line, to a daemon that sleeps, until a
// scrape would expose it. No scrapes are taken, since they use the processor.
func BenchmarkWake(b *testing.B) {
	h := newHarness(b)
	h.settings.Scan, h.settings.Poll = time.Hour, time.Second
	for i := range 1000 {
		h.Write(fmt.Sprintf("p%d/%d.jsonl", i%10, i), replies(fmt.Sprint("s", i), 1))
	}
	h.start()
	read := make(chan struct{}, 1)
	h.d.state.SetJournal(notifyingJournal{h.d.store, read})
	file, err := os.OpenFile(h.Path("p0/0.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	h.Must(err)
	defer file.Close() //nolint:errcheck // everything is written
	s := &session{Name: "live", ID: "s0", CWD: "/p"}
	var took []time.Duration
	for b.Loop() {
		s.Lines = nil
		line := s.Prompt("hello").String()
		<-time.After(3 * time.Millisecond) // the daemon sleeps
		begin := time.Now()
		_, err := file.WriteString(line)
		h.Must(err)
		<-read
		whileLocked(h.d.state, func() { took = append(took, time.Since(begin)) }) // like a scrape
	}
	b.ReportMetric(0, "ns/op")
	reportPercentiles(b, took)
}

// BenchmarkIdleFiles measures the memory of a daemon for each unchanged file, and the
// time of a restart without changes.
func BenchmarkIdleFiles(b *testing.B) {
	const files = 10_000
	h := newHarness(b)
	h.settings.Scan, h.settings.MaxWatches = 0, 0 // the defaults
	project := func(i int) string { return fmt.Sprintf("-home-someone-src-project-%02d", i%50) }
	id := func(i int) string { return fmt.Sprintf("%08x-89ab-cdef-0123-456789abcdef", i) }
	write := func(session int, name string) {
		h.Write(filepath.Join(project(session), name), fmt.Sprintf(`{"type":"mode","mode":"normal","sessionId":"%s"}`+"\n", id(session)))
	}
	for i := range files / 2 {
		write(i, id(i)+".jsonl")
		write(i/5, filepath.Join(id(i/5), "subagents", fmt.Sprintf("agent-a%016x.jsonl", i)))
	}
	empty := newHarness(b)
	empty.start()
	before := heapInUse()
	h.start()
	first := heapInUse() - before
	for b.Loop() {
		h.restart()
	}
	b.ReportMetric(float64(first)/files, "B/file")
	b.ReportMetric(float64(heapInUse()-before)/files, "B/file-restarted")
}
