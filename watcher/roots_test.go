package watcher

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Both ways of following a root must notice what becomes of it.
func bothWays(t *testing.T, test func(t *testing.T, o Options)) {
	t.Run("events", func(t *testing.T) {
		needsEvents(t)
		o := options()
		o.PollInterval = 2 * time.Millisecond
		test(t, o)
	})
	t.Run("polling", func(t *testing.T) { test(t, polling()) })
}

func TestRootThatAppearsLater(t *testing.T) {
	bothWays(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		o.Roots = []string{filepath.Join(dir, "not/yet"), filepath.Join(dir, "never")}
		log := logged(&o)
		c := run(t, New(o))
		c.sees()
		write(t, dir, "not/yet/p/a.log")
		c.learns("0:p/a.log")
		write(t, dir, "not/yet/p/q/b.log")
		c.learns("0:p/q/b.log")
		for text, want := range map[string]int{"does not exist yet": 2, "directory appeared": 1, "disappeared": 0, "a.log": 0} {
			if n := log.count(text); n != want {
				t.Errorf("%q logged %d times, want %d", text, n, want)
			}
		}
	})
}

func TestRootThatVanishesAndReturns(t *testing.T) {
	bothWays(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		in := func(p string) string { return filepath.Join(dir, p) }
		o.Roots = []string{in("up/root"), in("other")}
		log := logged(&o)
		write(t, dir, "up/root/p/a.log")
		write(t, dir, "other/x.log")
		c := run(t, New(o))
		c.sees("0:p/a.log", "1:x.log")
		remove(t, dir, "up/root")
		c.until("its end", func() bool { return log.count("disappeared") == 1 })
		c.sees("1:x.log")
		write(t, dir, "up/root/p/b.log")
		c.learns("0:p/b.log")
		c.rescan()
		c.sees("0:p/b.log", "1:x.log")
		rename(t, in("up"), in("down")) // what is above the root, where nothing is watched
		c.sees("1:x.log")
		rename(t, in("down"), in("up"))
		c.sees("0:p/b.log", "1:x.log")
		write(t, dir, "up/root/p/c.log")
		c.learns("0:p/c.log")
		for _, text := range []string{"directory appeared", "disappeared"} {
			if n := log.count(text); n != 2 {
				t.Errorf("%q logged %d times, want twice", text, n)
			}
		}
	})
}

// An exchanged root has the same name all the time.
func TestRootThatIsExchanged(t *testing.T) {
	bothWays(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		in := func(p string) string { return filepath.Join(dir, p) }
		o.Roots = []string{in("root")}
		write(t, dir, "root/p/a.log")
		write(t, dir, "new/p/b.log")
		c := run(t, New(o))
		c.sees("0:p/a.log")
		rename(t, in("root"), in("old"))
		rename(t, in("new"), in("root"))
		c.sees("0:p/b.log")
		write(t, dir, "root/p/c.log")
		c.learns("0:p/c.log")
	})
}

// No event tells of what happens above a root. What lies there now is watched, and what lay there is not.
func TestRootThatIsExchangedFromAbove(t *testing.T) {
	dir := t.TempDir()
	in := func(p string) string { return filepath.Join(dir, p) }
	write(t, dir, "up/root/p/a.log")
	write(t, dir, "new/root/p/b.log")
	c := started(t, in("up/root"))
	rename(t, in("up"), in("old"))
	rename(t, in("new"), in("up"))
	c.rescan()
	c.sees("0:p/b.log")
	write(t, dir, "old/root/p/a.log")
	write(t, dir, "up/root/p/b.log")
	c.reported("0:p/b.log")
	if len(c.dirty) > 0 {
		t.Errorf("reported %v besides", c.dirty)
	}
}

func TestRootThatIsALink(t *testing.T) {
	bothWays(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		in := func(p string) string { return filepath.Join(dir, p) }
		o.Roots = []string{in("link")}
		write(t, dir, "one/p/a.log")
		write(t, dir, "two/p/b.log")
		symlink(t, in("one"), in("link"))
		c := run(t, New(o))
		c.sees("0:p/a.log")
		write(t, dir, "one/p/c.log")
		c.learns("0:p/c.log")
		remove(t, dir, "link")
		c.sees()
		symlink(t, in("two"), in("link"))
		c.sees("0:p/b.log")
	})
}

// A root in another one is a root of its own from the moment it appears.
func TestRootInARoot(t *testing.T) {
	dir := t.TempDir()
	c := started(t, dir, filepath.Join(dir, "p", "inner"))
	write(t, dir, "p/a.log")
	c.reported("0:p/a.log")
	write(t, dir, "p/inner/q/b.log")
	c.learns("1:q/b.log")
	write(t, dir, "p/inner/q/b.log")
	c.reported("1:q/b.log")
	remove(t, dir, "p/inner")
	c.sees("0:p/a.log")
	write(t, dir, "p/inner/c.log")
	c.learns("1:c.log")
	for f := range c.dirty {
		if strings.HasPrefix(f, "0:p/inner") {
			t.Errorf("%s was reported for the outer root", f)
		}
	}
}

func TestRelativeRoot(t *testing.T) {
	if err := New(options("somewhere")).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not an absolute path") {
		t.Errorf("got %v", err)
	}
}

func TestUnreadableIsSaidOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	deep := mkdir(t, dir, "deep")
	unreadable(t, deep)
	o := options(dir, filepath.Join(dir, "loop"))
	symlink(t, "loop", filepath.Join(dir, "loop"))
	log := logged(&o)
	c := run(t, New(o))
	c.rescan()
	c.rescan()
	if s := c.w.Stats(); s.Unreadable != 2 || s.Scans != 3 {
		t.Errorf("got %+v", s)
	}
	if n := log.count("Failed to read a directory"); n != 2 {
		t.Errorf("logged %d times, want once for each root", n)
	}
	if n, debug := log.count(deep), log.count("level=DEBUG msg=\"Unreadable directory\" path="+deep); n != 1 || debug != 1 {
		t.Errorf("a path below the root was logged %d times, and %d times at level debug, want 1", n, debug)
	}
	if n := log.count("directories=1 err="); n != 2 {
		t.Errorf("logged the number of directories %d times, want 2", n)
	}
	if !c.last.Removed(File{0, "b.log"}) || c.last.Removed(File{1, "b.log"}) {
		t.Error("what is in a root that cannot be read is not known to be gone, and everything else is")
	}
	remove(t, deep)
	c.rescan()
	if s := c.w.Stats(); s.Unreadable != 1 {
		t.Errorf("after it has gone: %+v", s)
	}
	unreadable(t, mkdir(t, dir, "deep"))
	c.rescan()
	if n := log.count("Failed to read a directory"); n != 3 {
		t.Errorf("logged %d times, want once more after it was well", n)
	}
}
