package watcher

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watches are unreliable after an error, so all are renewed: immediately, or after a
// pause if a walk has just finished.
func TestErrorRenewsWatches(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := eventOptions(dir)
	log := captureLog(&o)
	c := scanOnce(t, o)
	w, before := c.w, c.w.notifier

	w.durations = []time.Duration{time.Minute, time.Minute}
	w.o.PollInterval = time.Second
	w.handleError(fsnotify.ErrEventOverflow)
	w.processEvents(t.Context())
	if w.notifier != before || w.Stats().Scans != 1 || w.scanAt != w.lastWalk.Add(10*time.Minute) {
		t.Errorf("after a recent walk: got next walk at %v, want 10 minutes after %v", w.scanAt, w.lastWalk)
	}
	write(t, dir, "p/b.log")
	c.waitForDirty("0:p/b.log") // the old watches remain during the pause

	w.lastWalk = time.Time{}
	w.handleError(syscall.EBADF)
	w.handleError(fsnotify.ErrEventOverflow)
	w.processEvents(t.Context())
	w.tick(t.Context())
	if w.notifier == before || before.events.Add(dir) == nil {
		t.Error("the old watches still exist")
	}
	c.checkStats(Stats{Overflows: 3, Scans: 2, Watched: 2})
	log.checkCount(t, "File events were lost", 2)
	write(t, dir, "p/c.log")
	c.waitForDirty("0:p/c.log")
}

func TestRenewedWatchesClearError(t *testing.T) {
	c := scanOnce(t, eventOptions(t.TempDir()))
	c.w.rewatch = true
	c.w.handleError(fsnotify.ErrEventOverflow)
	c.w.scan(t.Context())
	if _, err := c.w.pending.take(); err != nil {
		t.Errorf("got pending error %v, want none", err)
	}
}

// A moved directory and the directories below it report their old names until their
// watches are renewed. The first event of the move renews them.
func TestMovedDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/b/x.log")
	c := scanOnce(t, eventOptions(dir))
	before := c.w.notifier
	rename(t, dir, "a", "z")
	write(t, dir, "end.log") // events arrive in order
	c.waitForDirty("0:end.log")
	c.w.processEvents(t.Context())
	c.waitForDirty("0:z/b/x.log")
	c.w.lastWalk, c.w.scanAt = time.Time{}, time.Time{}
	c.w.tick(t.Context())
	if c.w.notifier == before {
		t.Error("the watches were not renewed")
	}
	write(t, dir, "z/b/y.log")
	c.waitForDirty("0:z/b/y.log")
	c.checkStats(Stats{Watched: 3, Scans: 2})
}

// New directories and replaced files do not renew the watches.
func TestOrdinaryEventsKeepWatches(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/x.log")
	c := scanOnce(t, eventOptions(dir))
	mkdir(t, dir, "a/b/c")
	c.w.adopt(t.Context(), filepath.Join(dir, "a/b")) // before the events of its content
	write(t, dir, "a/tmp")
	rename(t, dir, "a/tmp", "a/x.log")
	remove(t, dir, "a/x.log")
	write(t, dir, "a/b/c/end.log")
	c.waitForDirty("0:a/b/c/end.log")
	c.w.processEvents(t.Context())
	if c.w.rewatch {
		t.Error("the watches are to be renewed")
	}
	c.checkStats(Stats{Watched: 4, Scans: 1})
}

// If a walk does not find a watched directory, the next walk renews all watches.
func TestUnknownWatch(t *testing.T) {
	dir, unknown := t.TempDir(), t.TempDir()
	c := scanOnce(t, eventOptions(dir))
	c.w.watch(unknown)
	c.w.scan(t.Context())
	c.w.scan(t.Context())
	c.checkStats(Stats{Watched: 1, Scans: 3})
	before := c.w.Stats().Events
	write(t, unknown, "a.log")
	write(t, dir, "b.log")
	c.waitForDirty("0:b.log")
	if n := c.w.Stats().Events - before; n > 2 {
		t.Errorf("got %d events, want at most 2 for creating and writing one file", n)
	}
}

// A walk restores a watch that the system has removed without an event.
func TestLostWatch(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	c := scanOnce(t, eventOptions(dir))
	noError(t, c.w.notifier.events.Remove(filepath.Join(dir, "p")))
	c.w.scan(t.Context())
	write(t, dir, "p/a.log")
	c.waitForDirty("0:p/a.log")
}

func TestIncompleteWalkIsDiscarded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := New(eventOptions(dir))
	w.scan(ctx)
	defer w.closeNotifier()
	if u := w.Take(); u.Tree != nil || w.Stats().Scans != 0 {
		t.Errorf("got tree %v and %d walks, want none", u.Tree, w.Stats().Scans)
	}
}
