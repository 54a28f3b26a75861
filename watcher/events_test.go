package watcher

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// started runs a watcher that has nothing but events after its first walk.
func started(t testing.TB, roots ...string) *consumer {
	t.Helper()
	needsEvents(t)
	return run(t, New(options(roots...)))
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	in := func(p string) string { return filepath.Join(dir, p) }
	write(t, dir, "p/old.log")
	c := started(t, dir)
	c.sees("0:p/old.log")

	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"grown", func() { write(t, dir, "p/old.log") }, []string{"0:p/old.log"}},
		{"made", func() { write(t, dir, "p/new.log") }, []string{"0:p/new.log"}},
		{"made in a new directory", func() { write(t, dir, "q/new.log") }, []string{"0:q/new.log"}},
		{"made deep below one", func() { write(t, dir, "q/r/s/t/new.log") }, []string{"0:q/r/s/t/new.log"}},
		{"in a directory named like a file", func() { write(t, dir, "d.log/new.log") }, []string{"0:d.log/new.log"}},
		{"renamed", func() { rename(t, in("p/old.log"), in("p/older.log")) }, []string{"0:p/old.log", "0:p/older.log"}},
		{"moved", func() { rename(t, in("p/older.log"), in("q/old.log")) }, []string{"0:p/older.log", "0:q/old.log"}},
		{"exchanged", func() { write(t, dir, "p/tmp"); rename(t, in("p/tmp"), in("p/new.log")) }, []string{"0:p/new.log"}},
		{"cut", func() {
			if err := os.Truncate(in("p/new.log"), 0); err != nil {
				t.Fatal(err)
			}
		}, []string{"0:p/new.log"}},
		{"removed", func() { remove(t, dir, "p/new.log") }, []string{"0:p/new.log"}},
		{"directory moved", func() { rename(t, in("q"), in("p/Q")) }, []string{"0:p/Q/new.log", "0:p/Q/old.log", "0:p/Q/r/s/t/new.log"}},
		{"grown where it has moved to", func() { write(t, dir, "p/Q/r/s/t/new.log") }, []string{"0:p/Q/r/s/t/new.log"}},
		{"made where it has moved to", func() { write(t, dir, "p/Q/r/new.log") }, []string{"0:p/Q/r/new.log"}},
		{"made again where it was", func() { write(t, dir, "q/r/s/t/new.log") }, []string{"0:q/r/s/t/new.log"}},
		{"directory removed and made again", func() { remove(t, dir, "q/r"); write(t, dir, "q/r/s/again.log") }, []string{"0:q/r/s/again.log"}},
		{"grown there", func() { write(t, dir, "q/r/s/again.log") }, []string{"0:q/r/s/again.log"}},
		{"the root's own", func() { write(t, dir, "top.log") }, []string{"0:top.log"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.t = t
			clear(c.dirty)
			step.do()
			c.reported(step.want...)
		})
	}
	c.t = t
	c.rescan()
	want := []string{"0:d.log/new.log", "0:p/Q/new.log", "0:p/Q/old.log", "0:p/Q/r/new.log", "0:p/Q/r/s/t/new.log", "0:q/r/s/again.log", "0:top.log"}
	if !slices.Equal(c.tree, want) {
		t.Errorf("tree: got %v\nwant %v", c.tree, want)
	}
}

// What is of no interest wakes nobody for long: a file that is comes later, from the same queue, and nothing came before it.
func TestEventsOfNoInterest(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, "cache/1.log")
	write(t, dir, "p/0.log")
	write(t, outside, "2.log")
	c := started(t, dir)
	write(t, dir, "cache/1.log")
	write(t, dir, "p/cache/3.log")
	write(t, dir, "p/4.txt")
	write(t, dir, "p/skip.log")
	mkdir(t, dir, "p/5.log")
	if err := os.Chmod(filepath.Join(dir, "p/0.log"), 0o400); err != nil {
		t.Fatal(err)
	}
	symlink(t, outside, filepath.Join(dir, "p/link"))
	symlink(t, filepath.Join(outside, "2.log"), filepath.Join(dir, "p/link.log"))
	write(t, outside, "2.log")
	write(t, dir, "p/last.log")
	c.until("the last", func() bool { return c.dirty["0:p/last.log"] })
	if len(c.dirty) != 1 {
		t.Errorf("reported %v besides the last", c.dirty)
	}
	c.rescan()
	if want := []string{"0:p/0.log", "0:p/last.log"}; !slices.Equal(c.tree, want) {
		t.Errorf("tree: got %v\nwant %v", c.tree, want)
	}
}

// By events alone, without another walk: files made right after their directories.
func TestFilesRightAfterTheirDirectories(t *testing.T) {
	dir := t.TempDir()
	c := started(t, dir)
	const n = 500
	want := make([]string, n)
	for i := range n {
		write(t, dir, fmt.Sprint(i), "a/b/c/x.log")
		want[i] = fmt.Sprintf("0:%d/a/b/c/x.log", i)
	}
	c.reported(want...)
	for i := range n { // and every one of these directories is watched
		write(t, dir, fmt.Sprint(i), "a/b/c/y.log")
		want[i] = fmt.Sprintf("0:%d/a/b/c/y.log", i)
	}
	c.reported(want...)
	if s := c.w.Stats(); s.Scans != 1 || s.Overflows != 0 {
		t.Errorf("%d walks, %d overflows: this was to be seen without", s.Scans, s.Overflows)
	}
}

// Whatever is done to directories, in whatever order: afterwards every file that is made is reported without another walk.
func TestAnythingDoneToDirectories(t *testing.T) {
	needsEvents(t)
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
			c := started(t, dir)
			for range 200 {
				switch rnd.IntN(8) {
				case 0:
					_ = os.RemoveAll(path())
				case 1, 2:
					_ = os.Rename(path(), path()) // refused if there is nothing to rename or something in the way
				case 3:
					c.take()
				case 4:
					c.w.Rescan()
				default:
					write(t, path(), "x.log")
				}
			}
			// Events come in order. After this one nothing of what was done above is still to be followed.
			write(t, dir, "mark.log")
			c.reported("0:mark.log")
			found, errs := Walk(t.Context(), options(dir))
			if errs != nil {
				t.Fatal(errs)
			}
			for _, f := range found {
				beside := File{Rel: filepath.Join(filepath.Dir(f.Rel), "y.log")}
				write(t, dir, beside.Rel)
				c.learns(name(beside)) // by an event, or a walk that was still to come
			}
		})
	}
}

// A real overflow: the goroutine that drains events is held up until the kernel has given up.
func TestOverflow(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	write(t, dir, "b.log")
	c := started(t, dir)
	c.take()
	c.w.updates.mu.Lock()
	var files [2]*os.File
	for i, base := range []string{"a.log", "b.log"} {
		f, err := os.OpenFile(filepath.Join(dir, base), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = f
	}
	for i := range 60_000 {
		if _, err := files[i%2].WriteString("x"); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "late/c.log")
	write(t, dir, "late/d/e.log")
	c.w.updates.mu.Unlock()

	c.w.Rescan() // this test does not live to see the pause that follows a recent walk
	c.sees("0:a.log", "0:b.log", "0:late/c.log", "0:late/d/e.log")
	poll(t, "an overflow", func() bool { return c.w.Stats().Overflows > 0 })
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/q/a.log")
	mkdir(t, dir, "cache/x")
	c := started(t, dir)
	if s := c.w.Stats(); s.Watched != 3 || s.Scans != 1 || s.Polling || s.Unreadable != 0 {
		t.Errorf("got %+v", s)
	}
	before := c.w.Stats().Events
	write(t, dir, "p/q/r/s/b.log")
	c.reported("0:p/q/r/s/b.log")
	poll(t, "two more watches", func() bool { return c.w.Stats().Watched == 5 })
	remove(t, dir, "p/q")
	poll(t, "three fewer", func() bool { return c.w.Stats().Watched == 2 })
	if after := c.w.Stats().Events; after <= before {
		t.Errorf("%d events before and %d after", before, after)
	}
}
