package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// A notifyingJournal sends to read for every frame with counters. Every batch of lines
// appends such a frame.
type notifyingJournal struct {
	*checkpoint.Store
	read chan<- struct{}
}

func (j notifyingJournal) Append(frame []byte) error {
	err := j.Store.Append(frame)
	if n, _, _ := protowire.ConsumeTag(frame); n == ledger.CountersField {
		j.read <- struct{}{}
	}
	return err
}

// BenchmarkWake measures the time from writing a line until a scrape would expose it,
// with a sleeping daemon, for lines that arrive alone: the watcher collects events for
// 100 ms after an event. It takes no scrapes, since they use the processor.
//
//	go test ./daemon -run '^$' -bench Wake -benchtime 300x
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
		<-time.After(110 * time.Millisecond) // the daemon sleeps
		begin := time.Now()
		_, err := file.WriteString(line)
		h.Must(err)
		<-read
		whileLocked(h.d.state, func() { took = append(took, time.Since(begin)) }) // like a scrape
	}
	b.ReportMetric(0, "ns/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// BenchmarkIdleFiles measures the memory per unchanged file, and the time of a restart
// without changes.
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
