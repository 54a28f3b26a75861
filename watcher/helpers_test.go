package watcher

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// never is an interval that no test lives to see the end of.
const never = time.Hour

func isLog(base string) bool { return strings.HasSuffix(base, ".log") && base != "skip.log" }

func isCache(base string) bool { return base == "cache" }

// options follow the roots by events and what a test asks for.
func options(roots ...string) Options {
	return Options{Roots: roots, Match: isLog, SkipDir: isCache, ScanInterval: never, PollInterval: never}
}

// polling looks all the time.
func polling(roots ...string) Options {
	o := options(roots...)
	o.MaxWatches, o.PollInterval, o.ScanInterval = -1, time.Millisecond, 2*time.Millisecond
	return o
}

func needsEvents(t testing.TB) {
	t.Helper()
	if !hasDirectoryEvents(runtime.GOOS) {
		t.Skip("no events on this system")
	}
}

// A consumer runs a watcher and remembers what it has said.
type consumer struct {
	t     testing.TB
	w     *Watcher
	dirty map[string]bool // "root:path" with slashes
	tree  []string        // the same, nil before the first walk
	trees int
	last  Update // that had a tree
	stop  func()
}

// run starts the watcher and returns after its first walk.
func run(t testing.TB, w *Watcher) *consumer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return consume(t, w, func() { cancel(); wg.Wait() })
}

// step makes the first walk of a watcher whose one goroutine is the test.
func step(t testing.TB, w *Watcher) *consumer {
	t.Helper()
	needsEvents(t)
	w.scan(t.Context())
	return consume(t, w, w.closeNotifier)
}

func consume(t testing.TB, w *Watcher, stop func()) *consumer {
	t.Helper()
	c := &consumer{t: t, w: w, dirty: make(map[string]bool), stop: stop}
	t.Cleanup(stop)
	c.until("the first walk", func() bool { return c.trees > 0 })
	return c
}

// patience is the limit for anything that a test waits for. It is long, for busy
// machines: only a test that fails waits for its end.
const patience = 2 * time.Minute

// take adds what there is.
func (c *consumer) take() {
	u := c.w.Take()
	for _, f := range u.Dirty {
		c.dirty[name(f)] = true
	}
	if u.Tree != nil {
		c.tree, c.last = names(u.Tree), u
		c.trees++
	}
}

// until takes what comes until ok says yes.
func (c *consumer) until(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for c.take(); !ok(); c.take() {
		select {
		case <-c.w.Wake():
		case <-deadline:
			c.t.Fatalf("no sign of %s; dirty %.500q, tree %.500q", what, fmt.Sprint(c.dirty), fmt.Sprint(c.tree))
		}
	}
}

// rescan walks once more.
func (c *consumer) rescan() {
	c.t.Helper()
	c.take()
	n := c.trees
	c.w.Rescan()
	c.until("another walk", func() bool { return c.trees > n })
}

// reported waits until every one of the files was dirty, and forgets that they were.
func (c *consumer) reported(files ...string) {
	c.t.Helper()
	for _, f := range files {
		c.until(f, func() bool { return c.dirty[f] })
	}
	for _, f := range files {
		delete(c.dirty, f)
	}
}

// learns waits until each of the files was dirty or in the last tree.
func (c *consumer) learns(files ...string) {
	c.t.Helper()
	for _, f := range files {
		c.until(f, func() bool { return c.dirty[f] || slices.Contains(c.tree, f) })
	}
}

// sees waits for a tree of exactly these files.
func (c *consumer) sees(files ...string) {
	c.t.Helper()
	c.until("a tree of "+strings.Join(files, " "), func() bool { return slices.Equal(c.tree, files) })
}

// poll waits for something that does not wake the consumer.
func poll(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("no sign of %s", what)
		}
	}
}

func name(f File) string { return string(rune('0'+f.Root)) + ":" + filepath.ToSlash(f.Rel) }

func names(found []FoundFile) []string {
	all := []string{}
	for _, f := range found {
		all = append(all, name(f.File))
	}
	return all
}

// write appends a line to a file, and makes it and its directories if need be.
func write(t testing.TB, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	mkdir(t, filepath.Dir(path))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("line\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t testing.TB, elem ...string) string {
	t.Helper()
	dir := filepath.Join(elem...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, elem ...string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(elem...)); err != nil {
		t.Fatal(err)
	}
}

func symlink(t testing.TB, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// A record is a log to look into while it is written.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) count(s string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Count(r.b.String(), s)
}

func logged(o *Options) *record {
	r := new(record)
	o.Logger = slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return r
}
