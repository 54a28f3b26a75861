package watcher

import (
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

	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func isLog(base string) bool { return strings.HasSuffix(base, ".log") && base != "skip.log" }

func isCache(rel string) bool { return filepath.Base(rel) == "cache" }

// eventOptions return options for a watcher that walks only at the start and after a
// request or a lost event.
func eventOptions(roots ...string) Options {
	return Options{Roots: roots, Match: isLog, SkipDir: isCache, ScanInterval: time.Hour, PollInterval: time.Hour}
}

// pollOptions return options for a watcher that polls continuously.
func pollOptions(roots ...string) Options {
	o := fastOptions(roots...)
	o.MaxWatches = -1
	return o
}

// fastOptions return options for a watcher that uses events and polls continuously
// without them.
func fastOptions(roots ...string) Options {
	o := eventOptions(roots...)
	o.PollInterval, o.ScanInterval = time.Millisecond, 2*time.Millisecond
	return o
}

func requireEvents(t testing.TB) {
	t.Helper()
	if !hasDirectoryEvents(runtime.GOOS) {
		t.Skip("no directory events on this system")
	}
}

// A consumer collects the updates of a watcher. Files are formatted by format.
type consumer struct {
	t     testing.TB
	w     *Watcher
	dirty map[string]bool
	tree  []string // nil before the first walk
	trees int
	last  Update // the last update with a tree
	stop  func()
}

// start runs a watcher and returns after its first walk.
func start(t testing.TB, w *Watcher) *consumer {
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

// startWithEvents runs a watcher that relies on events after its first walk.
func startWithEvents(t testing.TB, roots ...string) *consumer {
	t.Helper()
	requireEvents(t)
	return start(t, New(eventOptions(roots...)))
}

// scanOnce makes the first walk of a watcher with events, but does not call Run. The
// test calls its methods instead.
func scanOnce(t testing.TB, o Options) *consumer {
	t.Helper()
	requireEvents(t)
	w := New(o)
	w.scan(t.Context())
	return consume(t, w, w.closeNotifier)
}

func consume(t testing.TB, w *Watcher, stop func()) *consumer {
	t.Helper()
	c := &consumer{t: t, w: w, dirty: make(map[string]bool), stop: stop}
	t.Cleanup(stop)
	c.waitFor("the first walk", func() bool { return c.trees > 0 })
	return c
}

func (c *consumer) take() {
	u := c.w.Take()
	for _, f := range u.Dirty {
		c.dirty[format(f)] = true
	}
	if u.Tree != nil {
		c.tree, c.last = formatAll(u.Tree), u
		c.trees++
	}
}

// waitFor collects updates until ok returns true.
func (c *consumer) waitFor(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.After(polltest.Timeout)
	for c.take(); !ok(); c.take() {
		select {
		case <-c.w.Wake():
		case <-deadline:
			c.t.Fatalf("timeout waiting for %s; dirty %.500q, tree %.500q", what, fmt.Sprint(c.dirty), fmt.Sprint(c.tree))
		}
	}
}

// rescan requests a walk and waits for it.
func (c *consumer) rescan() {
	c.t.Helper()
	c.take()
	n := c.trees
	c.w.Rescan()
	c.waitFor("another walk", func() bool { return c.trees > n })
}

// waitForDirty waits until all of the files were dirty, and then clears them.
func (c *consumer) waitForDirty(files ...string) {
	c.t.Helper()
	for _, f := range files {
		c.waitFor(f, func() bool { return c.dirty[f] })
	}
	for _, f := range files {
		delete(c.dirty, f)
	}
}

// waitForFile waits until the file was dirty or is in the last tree.
func (c *consumer) waitForFile(file string) {
	c.t.Helper()
	c.waitFor(file, func() bool { return c.dirty[file] || slices.Contains(c.tree, file) })
}

// waitForTree waits for a tree of exactly these files.
func (c *consumer) waitForTree(files ...string) {
	c.t.Helper()
	c.waitFor("a tree of "+strings.Join(files, " "), func() bool { return slices.Equal(c.tree, files) })
}

// checkTree compares the result of another walk.
func (c *consumer) checkTree(want ...string) {
	c.t.Helper()
	c.rescan()
	if !slices.Equal(c.tree, want) {
		c.t.Errorf("got tree %v\nwant %v", c.tree, want)
	}
}

// checkAllIgnored checks that p/0.log is the only other file below dir, and that it was
// not reported: events are delivered in order, so its events would come before the last
// file's event.
func (c *consumer) checkAllIgnored(dir string) {
	c.t.Helper()
	write(c.t, dir, "p/last.log")
	c.waitFor("the last file", func() bool { return c.dirty["0:p/last.log"] })
	if len(c.dirty) != 1 {
		c.t.Errorf("got dirty files %v, want only the last one", c.dirty)
	}
	c.checkTree("0:p/0.log", "0:p/last.log")
}

// checkStats compares all statistics except the number of events.
func (c *consumer) checkStats(want Stats) {
	c.t.Helper()
	got := c.w.Stats()
	if got.Events = want.Events; got != want {
		c.t.Errorf("got %+v, want %+v", got, want)
	}
}

// format returns "root:path" with slashes.
func format(f File) string { return fmt.Sprintf("%d:%s", f.Root, filepath.ToSlash(f.Rel)) }

func formatAll(found []FoundFile) []string {
	all := []string{}
	for _, f := range found {
		all = append(all, format(f.File))
	}
	return all
}

func noError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func openAppend(t testing.TB, elem ...string) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(elem...), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	noError(t, err)
	return f
}

// write appends a line to a file. It creates the file and its directories if necessary.
func write(t testing.TB, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	mkdir(t, filepath.Dir(path))
	f := openAppend(t, path)
	_, err := f.WriteString("line\n")
	noError(t, err)
	noError(t, f.Close())
}

func mkdir(t testing.TB, elem ...string) string {
	t.Helper()
	dir := filepath.Join(elem...)
	noError(t, os.MkdirAll(dir, 0o700))
	return dir
}

// waitForTick waits until a change has another modification time than all changes
// before: on many file systems, the time has a resolution of some milliseconds.
func waitForTick(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	modified := func() time.Time {
		noError(t, os.Mkdir(filepath.Join(dir, "tick"), 0o700))
		noError(t, os.Remove(filepath.Join(dir, "tick")))
		info, _, err := lstatPath(dir)
		noError(t, err)
		return info.ModTime()
	}
	first := modified()
	polltest.Eventually(t, "the clock of the file system ticks", func() bool { return modified().After(first) })
}

func rename(t testing.TB, dir, from, to string) {
	t.Helper()
	noError(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
}

func remove(t testing.TB, elem ...string) {
	t.Helper()
	noError(t, os.RemoveAll(filepath.Join(elem...)))
}

// symlink creates a link at path to a target relative to dir.
func symlink(t testing.TB, dir, target, path string) {
	t.Helper()
	if err := os.Symlink(filepath.Join(dir, target), filepath.Join(dir, path)); err != nil {
		t.Skip("no symbolic links on this system:", err)
	}
}

// A logBuffer collects log messages.
type logBuffer struct{ polltest.Buffer }

// captureLog sets the logger of the options.
func captureLog(o *Options) *logBuffer {
	b := new(logBuffer)
	o.Logger = slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return b
}

func (b *logBuffer) count(text string) int { return strings.Count(b.String(), text) }

// checkCount checks how often the text was logged.
func (b *logBuffer) checkCount(t *testing.T, text string, want int) {
	t.Helper()
	if got := b.count(text); got != want {
		t.Errorf("%q: logged %d times, want %d", text, got, want)
	}
}
