package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// readTranscripts reads all transcripts below a directory.
func readTranscripts(t testing.TB, dir string) transcripttest.Tree {
	t.Helper()
	all := transcripttest.ReadTree(t, dir)
	maps.DeleteFunc(all, func(name, _ string) bool { return filepath.Ext(name) != ".jsonl" })
	return all
}

// fixtures returns all fixtures as one tree. They share ids and times, which are made
// distinct.
func fixtures(t testing.TB) transcripttest.Tree {
	t.Helper()
	all := make(transcripttest.Tree)
	for n, dir := range fixtureDirs(t) {
		distinct := strings.NewReplacer(
			`"msg_`, fmt.Sprintf(`"msg_%02d`, n),
			`"toolu_`, fmt.Sprintf(`"toolu_%02d`, n),
			`"0f8fad5b`, fmt.Sprintf(`"0f8fad%02d`, n),
			`"9a2f2f1e`, fmt.Sprintf(`"9a2f2f%02d`, n),
			`-0000-4000-8000-`, fmt.Sprintf(`-00%02d-4000-8000-`, n),
			`"2026-03-01T`, fmt.Sprintf(`"2026-03-%02dT`, n+1),
		)
		for path, content := range readTranscripts(t, filepath.Join(dir, "projects")) {
			all[path] = distinct.Replace(content)
		}
	}
	return all
}

func fixtureDirs(t testing.TB) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("..", "..", "testdata", "fixtures", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return dirs
}

// A traffic writes transcripts like concurrent sessions: in parts that end anywhere,
// and forks before or after their origin.
type traffic struct {
	t     testing.TB
	rng   *rand.Rand
	dir   string
	names []string // of unfinished files
	rest  transcripttest.Tree
	size  int // of everything left
	most  int // size of a part
}

func newTraffic(t testing.TB, rng *rand.Rand, dir string, trees ...transcripttest.Tree) *traffic {
	w := &traffic{t: t, rng: rng, dir: dir, rest: make(transcripttest.Tree)}
	for _, tree := range trees {
		maps.Copy(w.rest, tree)
	}
	w.names = w.rest.Names()
	for _, content := range w.rest {
		w.size += len(content)
	}
	w.most = max(2_000, w.size/5_000)
	return w
}

// write writes about n bytes, one part per tick of the clock.
func (w *traffic) write(n int, clock <-chan time.Time) {
	for n > 0 && len(w.names) > 0 {
		n -= w.writePart()
		if clock != nil {
			<-clock
		}
	}
}

func (w *traffic) finish() { w.write(w.size, nil) }

// writePart writes the next part of a random transcript, and returns its size.
func (w *traffic) writePart() int {
	i := w.rng.IntN(len(w.names))
	name := w.names[i]
	rest := w.rest[name]
	n := min(len(rest), 1+w.rng.IntN(w.most))
	if end := strings.IndexByte(rest, '\n'); end >= 0 && w.rng.IntN(2) == 0 {
		n = end + 1
	}
	if err := transcripttest.AppendFile(filepath.Join(w.dir, filepath.FromSlash(name)), rest[:n]); err != nil {
		w.t.Error(err)
	}
	w.size -= n
	if w.rest[name] = rest[n:]; n == len(rest) {
		w.names = slices.Delete(w.names, i, i+1)
	}
	return n
}
