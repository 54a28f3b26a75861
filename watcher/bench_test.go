package watcher

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkLatency measures the time from writing a line to receiving the name of the
// file.
func BenchmarkLatency(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		write(b, dir, fmt.Sprint(i), "a.log")
	}
	requireEvents(b)
	w := New(eventOptions(dir))
	w.eventPause = 0 // each line arrives alone
	c := start(b, w)
	f := openAppend(b, dir, "7", "a.log")
	defer func() { _ = f.Close() }()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		_, err := f.WriteString("line\n")
		noError(b, err)
		<-c.w.Wake()
		if u := c.w.Take(); len(u.Dirty) != 1 {
			b.Fatalf("got %v, want one file", u.Dirty)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		for j := range 10 {
			write(b, filepath.Join(dir, fmt.Sprint(i), fmt.Sprint(j)+".log"))
		}
	}
	o := eventOptions(dir)
	b.ReportAllocs()
	for b.Loop() {
		if found, errs := Walk(b.Context(), o); len(found) != 5000 || errs != nil {
			b.Fatalf("got %d files, %v, want 5000", len(found), errs)
		}
	}
}
