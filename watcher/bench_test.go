package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// From a line being written to the consumer having the name of the file.
func BenchmarkLatency(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		write(b, dir, fmt.Sprint(i), "a.log")
	}
	c := started(b, dir)
	f, err := os.OpenFile(filepath.Join(dir, "7", "a.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := f.WriteString("line\n"); err != nil {
			b.Fatal(err)
		}
		<-c.w.Wake()
		if u := c.w.Take(); len(u.Dirty) != 1 {
			b.Fatalf("got %v", u.Dirty)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// The same for a file in a directory that did not exist, four levels deep.
func BenchmarkLatencyOfNewDirectory(b *testing.B) {
	needsEvents(b)
	dir := b.TempDir()
	o := options(dir)
	o.MaxWatches = 1 << 20
	c := run(b, New(o))
	for i := 0; b.Loop(); i++ {
		write(b, dir, fmt.Sprint(i), "a/b/c/x.log")
		c.reported(fmt.Sprintf("0:%d/a/b/c/x.log", i))
	}
}

func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		for j := range 10 {
			write(b, dir, fmt.Sprint(i), fmt.Sprint(j)+".log")
		}
	}
	o := options(dir)
	b.ReportAllocs()
	for b.Loop() {
		if found, errs := Walk(b.Context(), o); len(found) != 5000 || errs != nil {
			b.Fatalf("%d files, %v", len(found), errs)
		}
	}
}
