package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
)

type tree = transcripttest.Tree

// readTree reads all transcripts below a directory.
func readTree(t testing.TB, dir string) tree {
	t.Helper()
	all := make(tree)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// fixtures returns all fixtures as one tree. They share ids and times, which are made
// distinct.
func fixtures(t testing.TB) tree {
	t.Helper()
	all := make(tree)
	for n, dir := range fixtureDirs(t) {
		distinct := strings.NewReplacer(
			`"msg_`, fmt.Sprintf(`"msg_%02d`, n),
			`"toolu_`, fmt.Sprintf(`"toolu_%02d`, n),
			`"0f8fad5b`, fmt.Sprintf(`"0f8fad%02d`, n),
			`"9a2f2f1e`, fmt.Sprintf(`"9a2f2f%02d`, n),
			`-0000-4000-8000-`, fmt.Sprintf(`-00%02d-4000-8000-`, n),
			`"2026-03-01T`, fmt.Sprintf(`"2026-03-%02dT`, n+1),
		)
		for path, content := range readTree(t, filepath.Join(dir, "projects")) {
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

// A traffic writes transcripts as concurrent sessions do: in parts that end anywhere, and
// forks before or after their origin.
type traffic struct {
	t    testing.TB
	rng  *rand.Rand
	left []unwritten
	size int // of everything left
	most int // size of a part
}

// An unwritten is the rest of a file to be written.
type unwritten struct {
	path string
	rest string
}

func newTraffic(t testing.TB, rng *rand.Rand, dir string, trees ...tree) *traffic {
	w := &traffic{t: t, rng: rng}
	for _, tree := range trees {
		for _, path := range tree.Names() {
			w.left = append(w.left, unwritten{filepath.Join(dir, filepath.FromSlash(path)), tree[path]})
			w.size += len(tree[path])
		}
	}
	w.most = max(2_000, w.size/5_000)
	return w
}

// write writes about n bytes, one part per tick of the clock.
func (w *traffic) write(n int, clock <-chan time.Time) {
	for n > 0 && len(w.left) > 0 {
		n -= w.writePart()
		if clock != nil {
			<-clock
		}
	}
}

// finish writes everything left.
func (w *traffic) finish() { w.write(w.size, nil) }

// writePart writes the next part of a random transcript, and returns its size.
func (w *traffic) writePart() int {
	i := w.rng.IntN(len(w.left))
	u := &w.left[i]
	n := min(len(u.rest), 1+w.rng.IntN(w.most))
	if end := strings.IndexByte(u.rest, '\n'); end >= 0 && w.rng.IntN(2) == 0 {
		n = end + 1
	}
	if err := transcripttest.AppendFile(u.path, u.rest[:n]); err != nil {
		w.t.Error(err)
	}
	w.size -= n
	if u.rest = u.rest[n:]; u.rest == "" {
		w.left = slices.Delete(w.left, i, i+1)
	}
	return n
}
