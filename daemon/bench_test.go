package daemon

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
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
