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
	if w.notifier == before || before.events.Add(dir) == nil {
		t.Error("the old watches still exist")
	}
	c.checkStats(Stats{Overflows: 3, Scans: 2, Watched: 2})
	log.checkCount(t, "File events were lost", 1)
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

// A directory moved into an unwatched one may be found there before its event is
// processed. Its watch still has the old name and is dropped with it, so it must be
// restored.
func TestDirectoryMovedBeforeItsEvent(t *testing.T) {
	for name, find := range map[string]func(w *Watcher, dir string){
		"found as a new directory": func(w *Watcher, dir string) { w.adopt(t.Context(), dir) },
		"found by a walk":          func(w *Watcher, _ string) { w.scan(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "a/b/x.log")
			c := scanOnce(t, eventOptions(dir))
			waitForEvents := func(last string) { // events arrive in order
				write(t, dir, last)
				c.waitForDirty("0:" + last)
			}
			mkdir(t, dir, "new")
			waitForEvents("1.log")
			_, err := c.w.pending.take()
			noError(t, err)

			c.w.pending.mu.Lock() // block the events
			mkdir(t, dir, "another")
			rename(t, dir, "a/b", "new/b")
			find(c.w, filepath.Join(dir, "new"))
			c.w.pending.mu.Unlock()

			waitForEvents("2.log")
			c.w.processEvents(t.Context())
			c.take()
			clear(c.dirty)
			write(t, dir, "new/b/x.log")
			c.waitForDirty("0:new/b/x.log")
			if s := c.w.Stats(); s.Watched != 5 {
				t.Errorf("got %d watches, want 5", s.Watched)
			}
		})
	}
}

// A moved directory may have lost its watch before its event is processed. The watches
// below it still have the old names.
func TestMovedDirectoryLostWatchBeforeItsEvent(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/b/x.log")
	c := scanOnce(t, eventOptions(dir))
	rename(t, dir, "a", "z")
	write(t, dir, "end.log")
	c.waitForDirty("0:end.log")
	names, err := c.w.pending.take()
	noError(t, err)
	c.w.notifier.dropped = true // as if by another event
	c.w.repair(t.Context())

	for path := range names {
		c.w.pending.add(path)
	}
	c.w.processEvents(t.Context())
	write(t, dir, "z/b/y.log")
	c.waitForDirty("0:z/b/y.log")
}

// The event of a removed directory may arrive when a new one of the same name is
// watched already.
func TestRemovalEventOfEarlierDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/b/x.log")
	c := scanOnce(t, eventOptions(dir))
	c.w.handleEvent(fsnotify.Event{Name: filepath.Join(dir, "a", "b"), Op: fsnotify.Remove})
	c.w.handleEvent(fsnotify.Event{Name: filepath.Join(dir, "a"), Op: fsnotify.Rename})
	c.w.processEvents(t.Context())
	write(t, dir, "a/b/y.log")
	c.waitForDirty("0:a/b/y.log")
	c.checkStats(Stats{Watched: 3, Scans: 1})
}

func TestIsWithin(t *testing.T) {
	paths := map[string]struct{}{filepath.FromSlash("/a/b"): {}, filepath.FromSlash("/c"): {}}
	for dir, want := range map[string]bool{
		"/a/b": true, "/a/b/c": true, "/a/b/c/d/e": true, "/c": true, "/c/a": true,
		"/a": false, "/a/bc": false, "/a/c/b": false, "/": false, "": false, "/b": false,
	} {
		if got := isWithin(paths, filepath.FromSlash(dir)); got != want {
			t.Errorf("isWithin(%q) = %v, want %v", dir, got, want)
		}
	}
}

func TestWalkDropsUnknownWatch(t *testing.T) {
	dir, unknown := t.TempDir(), t.TempDir()
	c := scanOnce(t, eventOptions(dir))
	c.w.watch(unknown)
	c.w.scan(t.Context())
	c.checkStats(Stats{Watched: 1, Scans: 2})
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
