package watcher

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// Every kind of change is reported without a walk, by events or by checks.
func TestChanges(t *testing.T) {
	checks := pollOptions()
	checks.ScanInterval = time.Hour
	for name, o := range map[string]Options{"events": eventOptions(), "checks": checks} {
		t.Run(name, func(t *testing.T) {
			if name == "events" {
				requireEvents(t)
			}
			testChanges(t, o)
		})
	}
}

func testChanges(t *testing.T, o Options) {
	dir := t.TempDir()
	o.Roots = []string{dir}
	write(t, dir, "p/old.log")
	c := start(t, New(o))
	c.waitForTree("0:p/old.log")

	writes := func(path string) func() { return func() { write(t, dir, path) } }
	renames := func(from, to string) func() { return func() { rename(t, dir, from, to) } }
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"grown", writes("p/old.log"), []string{"0:p/old.log"}},
		{"created", writes("p/new.log"), []string{"0:p/new.log"}},
		{"created in a new directory", writes("q/new.log"), []string{"0:q/new.log"}},
		{"created deep below a directory", writes("q/r/s/t/new.log"), []string{"0:q/r/s/t/new.log"}},
		{"created in a directory named like a file", writes("d.log/new.log"), []string{"0:d.log/new.log"}},
		{"renamed", renames("p/old.log", "p/older.log"), []string{"0:p/old.log", "0:p/older.log"}},
		{"moved", renames("p/older.log", "q/old.log"), []string{"0:p/older.log", "0:q/old.log"}},
		{"replaced", func() { write(t, dir, "p/tmp"); rename(t, dir, "p/tmp", "p/new.log") }, []string{"0:p/new.log"}},
		{"truncated", func() { noError(t, os.Truncate(filepath.Join(dir, "p/new.log"), 0)) }, []string{"0:p/new.log"}},
		{"removed", func() { remove(t, dir, "p/new.log") }, []string{"0:p/new.log"}},
		{"directory moved", renames("q", "p/Q"), []string{"0:p/Q/new.log", "0:p/Q/old.log", "0:p/Q/r/s/t/new.log"}},
		{"grown in the moved directory", writes("p/Q/r/s/t/new.log"), []string{"0:p/Q/r/s/t/new.log"}},
		{"created in the moved directory", writes("p/Q/r/new.log"), []string{"0:p/Q/r/new.log"}},
		{"created again at the old path", writes("q/r/s/t/new.log"), []string{"0:q/r/s/t/new.log"}},
		{
			"directory removed and created again",
			func() { remove(t, dir, "q/r"); write(t, dir, "q/r/s/again.log") },
			[]string{"0:q/r/s/again.log"},
		},
		{"grown in the new directory", writes("q/r/s/again.log"), []string{"0:q/r/s/again.log"}},
		{"created in the root", writes("top.log"), []string{"0:top.log"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.t = t
			clear(c.dirty)
			step.do()
			c.waitForDirty(step.want...)
			c.rescan() // renews watches, and chooses the files to check
		})
	}
	c.t = t
	c.checkTree("0:d.log/new.log", "0:p/Q/new.log", "0:p/Q/old.log", "0:p/Q/r/new.log", "0:p/Q/r/s/t/new.log",
		"0:q/r/s/again.log", "0:top.log")
}

func TestIgnoredEvents(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "root")
	write(t, dir, "cache/1.log")
	write(t, dir, "p/0.log")
	write(t, top, "outside/2.log")
	c := startWithEvents(t, dir)
	write(t, dir, "cache/1.log")
	write(t, dir, "p/cache/3.log")
	write(t, dir, "p/4.txt")
	write(t, dir, "p/skip.log")
	mkdir(t, dir, "p/5.log")
	noError(t, os.Chmod(filepath.Join(dir, "p/0.log"), 0o400))
	symlink(t, top, "outside", "root/p/link")
	symlink(t, top, "outside/2.log", "root/p/link.log")
	write(t, top, "outside/2.log")
	c.checkAllIgnored(dir)
}

// Files created directly after their directories are reported by events alone, and
// these directories are watched.
func TestFilesInNewDirectories(t *testing.T) {
	dir := t.TempDir()
	c := startWithEvents(t, dir)
	const n = 500
	for _, base := range []string{"x.log", "y.log"} {
		want := make([]string, n)
		for i := range n {
			path := fmt.Sprintf("%d/a/b/c/%s", i, base)
			write(t, dir, path)
			want[i] = "0:" + path
		}
		c.waitForDirty(want...)
	}
	if s := c.w.Stats(); s.Scans != 1 || s.Overflows != 0 {
		t.Errorf("got %d walks and %d overflows, want 1 and 0", s.Scans, s.Overflows)
	}
}

// After random changes to directories, every new file is reported.
func TestRandomDirectoryChanges(t *testing.T) {
	requireEvents(t)
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			path := func() string {
				p := dir
				for range 1 + rnd.IntN(3) {
					p = filepath.Join(p, string(rune('a'+rnd.IntN(3))))
				}
				return p
			}
			o := eventOptions(dir)
			o.PollInterval = time.Millisecond // soon after a removal
			w := New(o)
			w.eventPause = 0 // many events in sequence
			c := start(t, w)
			for range 200 {
				switch rnd.IntN(8) {
				case 0:
					_ = os.RemoveAll(path())
				case 1, 2:
					_ = os.Rename(path(), path()) // fails without a source or if the target is in the way
				case 3:
					c.take()
				case 4:
					c.w.Rescan()
				default:
					write(t, path(), "x.log")
				}
			}
			// Events arrive in order, so this event follows the events of all changes
			// above.
			write(t, dir, "end.log")
			c.waitForFile("0:end.log")
			found, errs := Walk(t.Context(), eventOptions(dir))
			if errs != nil {
				t.Fatal(errs)
			}
			for _, f := range found {
				sibling := File{Rel: filepath.Join(filepath.Dir(f.Rel), "y.log")}
				write(t, dir, sibling.Rel)
				c.waitForFile(format(sibling)) // by an event or by a walk requested above
			}
		})
	}
}

// The goroutine that receives events is blocked until the kernel's queue overflows.
func TestOverflow(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	write(t, dir, "b.log")
	c := startWithEvents(t, dir)
	c.take()
	c.w.updates.mu.Lock()
	files := []*os.File{openAppend(t, dir, "a.log"), openAppend(t, dir, "b.log")}
	for i := range 60_000 {
		_, err := files[i%2].WriteString("x")
		noError(t, err)
	}
	for _, f := range files {
		noError(t, f.Close())
	}
	write(t, dir, "late/c.log")
	write(t, dir, "late/d/e.log")
	c.w.updates.mu.Unlock()

	c.w.Rescan() // the pause after the first walk is longer than the test
	c.waitForTree("0:a.log", "0:b.log", "0:late/c.log", "0:late/d/e.log")
	polltest.Eventually(t, "an overflow is counted", func() bool { return c.w.Stats().Overflows > 0 })
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/q/a.log")
	mkdir(t, dir, "cache/x")
	o := eventOptions(dir)
	o.PollInterval = time.Millisecond // soon after a removal
	requireEvents(t)
	c := start(t, New(o))
	c.checkStats(Stats{Watched: 3, Scans: 1})
	before := c.w.Stats().Events
	write(t, dir, "p/q/r/s/b.log")
	c.waitForDirty("0:p/q/r/s/b.log")
	polltest.Eventually(t, "there are two more watches", func() bool { return c.w.Stats().Watched == 5 })
	remove(t, dir, "p/q")
	polltest.Eventually(t, "there are three watches less", func() bool { return c.w.Stats().Watched == 2 })
	if after := c.w.Stats().Events; after <= before {
		t.Errorf("got %d events, want more than %d", after, before)
	}
}
