package watcher

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withEventsAndPolling runs a test of roots with events and with polling, each in a new
// directory.
func withEventsAndPolling(t *testing.T, test func(t *testing.T, dir string, o Options)) {
	t.Run("events", func(t *testing.T) {
		requireEvents(t)
		o := eventOptions()
		o.PollInterval = 2 * time.Millisecond
		test(t, t.TempDir(), o)
	})
	t.Run("polling", func(t *testing.T) { test(t, t.TempDir(), pollOptions()) })
}

func TestRootCreatedLater(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		o.Roots = []string{filepath.Join(dir, "not/yet"), filepath.Join(dir, "never")}
		log := captureLog(&o)
		c := start(t, New(o))
		c.waitForTree()
		write(t, dir, "not/yet/p/a.log")
		c.waitForFile("0:p/a.log")
		write(t, dir, "not/yet/p/q/b.log")
		c.waitForFile("0:p/q/b.log")
		log.checkCount(t, "does not exist yet", 2)
		log.checkCount(t, "directory appeared", 1)
		log.checkCount(t, "disappeared", 0)
		log.checkCount(t, "a.log", 0)
	})
}

func TestRootRemovedAndCreated(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		o.Roots = []string{filepath.Join(dir, "up/root"), filepath.Join(dir, "other")}
		log := captureLog(&o)
		write(t, dir, "up/root/p/a.log")
		write(t, dir, "other/x.log")
		c := start(t, New(o))
		c.waitForTree("0:p/a.log", "1:x.log")
		remove(t, dir, "up/root")
		c.waitFor("the log message", func() bool { return log.count("disappeared") == 1 })
		c.waitForTree("1:x.log")
		write(t, dir, "up/root/p/b.log")
		c.waitForFile("0:p/b.log")
		c.rescan()
		c.waitForTree("0:p/b.log", "1:x.log")
		rename(t, dir, "up", "down") // the parent of the root is not watched
		c.waitForTree("1:x.log")
		rename(t, dir, "down", "up")
		c.waitForTree("0:p/b.log", "1:x.log")
		write(t, dir, "up/root/p/c.log")
		c.waitForFile("0:p/c.log")
		log.checkCount(t, "directory appeared", 2)
		log.checkCount(t, "disappeared", 2)
	})
}

func TestRootReplaced(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		o.Roots = []string{filepath.Join(dir, "root")}
		write(t, dir, "root/p/a.log")
		write(t, dir, "new/p/b.log")
		c := start(t, New(o))
		c.waitForTree("0:p/a.log")
		rename(t, dir, "root", "old")
		rename(t, dir, "new", "root")
		c.waitForTree("0:p/b.log")
		write(t, dir, "root/p/c.log")
		c.waitForFile("0:p/c.log")
	})
}

// Replacing the parent of a root causes no event. The next walk watches the new root
// and stops watching the old one.
func TestParentOfRootReplaced(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "up/root/p/a.log")
	write(t, dir, "new/root/p/b.log")
	c := startWithEvents(t, filepath.Join(dir, "up/root"))
	rename(t, dir, "up", "old")
	rename(t, dir, "new", "up")
	c.rescan()
	c.waitForTree("0:p/b.log")
	write(t, dir, "old/root/p/a.log")
	write(t, dir, "up/root/p/b.log")
	c.waitForDirty("0:p/b.log")
	if len(c.dirty) > 0 {
		t.Errorf("got dirty files %v, want none in the old root", c.dirty)
	}
}

func TestRootIsSymlink(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		o.Roots = []string{filepath.Join(dir, "link")}
		write(t, dir, "one/p/a.log")
		write(t, dir, "two/p/b.log")
		symlink(t, dir, "one", "link")
		c := start(t, New(o))
		c.waitForTree("0:p/a.log")
		write(t, dir, "one/p/c.log")
		c.waitForFile("0:p/c.log")
		remove(t, dir, "link")
		c.waitForTree()
		symlink(t, dir, "two", "link")
		c.waitForTree("0:p/b.log")
	})
}

// The files of a nested root belong to it as soon as it exists, even if it appears
// while a walk begins.
func TestNestedRoot(t *testing.T) {
	dir := t.TempDir()
	c := startWithEvents(t, dir, filepath.Join(dir, "p", "inner"))
	write(t, dir, "p/a.log")
	c.waitForDirty("0:p/a.log")
	write(t, dir, "p/inner/q/b.log")
	c.waitForFile("1:q/b.log")
	write(t, dir, "p/inner/q/b.log")
	c.waitForDirty("1:q/b.log")
	remove(t, dir, "p/inner")
	c.waitForTree("0:p/a.log")
	write(t, dir, "p/inner/c.log")
	c.waitForFile("1:c.log")
	for f := range c.dirty {
		if strings.HasPrefix(f, "0:p/inner") {
			t.Errorf("%s was reported for the outer root", f)
		}
	}
}

func TestRelativeRoot(t *testing.T) {
	const want = "not an absolute path"
	if err := New(eventOptions("somewhere")).Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}

// Unreadable directories cause one warning per root until the root is readable again.
// The path of each is logged at debug level until it is readable again.
func TestUnreadableDirectoryWarning(t *testing.T) {
	const warning = "Failed to read a directory"
	dir := t.TempDir()
	write(t, dir, "a.log")
	mkUnreadable(t, dir, "deep")
	symlink(t, dir, "loop", "loop")
	o := eventOptions(dir, filepath.Join(dir, "loop"))
	log := captureLog(&o)
	c := start(t, New(o))
	c.rescan()
	c.rescan()
	// The system refuses to watch the deep directory, so another walk prepares polling,
	// unless the requested walk comes first.
	if s := c.w.Stats(); s.Unreadable != 2 || s.Scans < 3 || s.Scans > 4 {
		t.Errorf("got %+v, want 2 unreadable directories and 3 or 4 walks", s)
	}
	log.checkCount(t, warning, 2)
	deep := filepath.Join(dir, "deep")
	log.checkCount(t, "directories=1 first="+deep+" err=", 1)
	log.checkCount(t, "directories=1 first="+filepath.Join(dir, "loop")+" err=", 1)
	log.checkCount(t, deep, 2)
	const directory = "level=DEBUG msg=\"Unreadable directory\" path="
	log.checkCount(t, directory+deep, 1)
	// A walk that is already under way may miss a change, so two walks follow each
	// change.
	second := mkUnreadable(t, dir, "second")
	c.rescan()
	c.rescan()
	log.checkCount(t, warning, 2)
	log.checkCount(t, directory+second+` err="file name too long"`, 1)
	log.checkCount(t, directory, 3)
	remove(t, dir, "second")
	c.rescan()
	c.rescan()
	mkUnreadable(t, dir, "second")
	c.rescan()
	c.rescan()
	log.checkCount(t, directory+second, 2)
	remove(t, dir, "second")
	c.rescan()
	c.rescan()
	if !c.last.Removed(File{0, "b.log"}) {
		t.Error("got Removed false for a file missing in a readable root, want true")
	}
	if c.last.Removed(File{1, "b.log"}) {
		t.Error("got Removed true for a file in an unreadable root, want false")
	}
	remove(t, dir, "deep")
	c.rescan()
	c.rescan()
	if s := c.w.Stats(); s.Unreadable != 1 {
		t.Errorf("got %d unreadable directories after removing one, want 1", s.Unreadable)
	}
	mkUnreadable(t, dir, "deep")
	c.rescan()
	log.checkCount(t, warning, 3)
	log.checkCount(t, directory+deep, 2)
}
