package watcher

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// After an error nobody knows what the watches are worth: they are all made anew, at once, but not again right after a walk.
func TestErrorMakesWatchesAnew(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := options(dir)
	log := logged(&o)
	c := step(t, New(o))
	w, before := c.w, c.w.notifier

	w.durations = []time.Duration{time.Minute, time.Minute}
	w.o.PollInterval = time.Second
	w.handleError(fsnotify.ErrEventOverflow)
	w.processEvents(t.Context())
	if w.notifier != before || w.Stats().Scans != 1 || w.scanAt != w.lastWalk.Add(10*time.Minute) {
		t.Error("an error right after a walk is to wait a little")
	}
	write(t, dir, "p/b.log")
	c.reported("0:p/b.log") // as long as it waits, the old watches are better than none

	w.lastWalk = time.Time{}
	w.handleError(syscall.EBADF)
	w.handleError(fsnotify.ErrEventOverflow)
	w.processEvents(t.Context())
	if w.notifier == before || before.events.Add(dir) == nil {
		t.Error("the old watches are still there")
	}
	if s := w.Stats(); s.Overflows != 3 || s.Scans != 2 || s.Watched != 2 || s.Polling {
		t.Errorf("got %+v", s)
	}
	if n := log.count("File events were lost"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
	write(t, dir, "p/c.log")
	c.reported("0:p/c.log")
}

// What went wrong with the old watches says nothing about the new ones.
func TestErrorsEndWithTheirWatches(t *testing.T) {
	c := step(t, New(options(t.TempDir())))
	c.w.rewatch = true
	c.w.handleError(fsnotify.ErrEventOverflow)
	c.w.scan(t.Context())
	if _, err := c.w.pending.take(); err != nil {
		t.Errorf("after new watches there still was %v", err)
	}
}

// A directory that is moved into one that nobody watches yet is found there before anybody hears that it has left. Its watch goes by the old
// name then, and ends with it.
func TestMovedBehindTheBackOfEvents(t *testing.T) {
	for _, tc := range []struct {
		name string
		find func(w *Watcher, dir string)
	}{
		{"found as a new directory", func(w *Watcher, dir string) { w.adopt(t.Context(), dir) }},
		{"found by a walk", func(w *Watcher, _ string) { w.scan(t.Context()) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			in := func(p string) string { return filepath.Join(dir, p) }
			write(t, dir, "a/b/x.log")
			c := step(t, New(options(dir)))
			noted := func(mark string) { // all events of what was done before
				write(t, dir, mark)
				c.reported("0:" + mark)
			}
			mkdir(t, dir, "new")
			noted("1.log")
			if _, err := c.w.pending.take(); err != nil {
				t.Fatal(err)
			}

			c.w.pending.mu.Lock() // the events come to a stop
			mkdir(t, dir, "another")
			rename(t, in("a/b"), in("new/b"))
			tc.find(c.w, in("new"))
			c.w.pending.mu.Unlock()

			noted("2.log")
			c.w.processEvents(t.Context())
			c.take()
			clear(c.dirty)
			write(t, dir, "new/b/x.log")
			c.reported("0:new/b/x.log")
			if s := c.w.Stats(); s.Watched != 5 {
				t.Errorf("%d directories are watched, want the root and four", s.Watched)
			}
		})
	}
}

// A moved directory may have lost its watch, and been found to have, before its event is followed. Those below it still go by their old names.
func TestMovedAndMissedBeforeItsEvent(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/b/x.log")
	c := step(t, New(options(dir)))
	rename(t, filepath.Join(dir, "a"), filepath.Join(dir, "z"))
	write(t, dir, "mark.log")
	c.reported("0:mark.log")
	names, err := c.w.pending.take()
	if err != nil {
		t.Fatal(err)
	}
	c.w.notifier.dropped = true // as if by another event
	c.w.repair(t.Context())

	for path := range names {
		c.w.pending.add(path)
	}
	c.w.processEvents(t.Context())
	write(t, dir, "z/b/y.log")
	c.reported("0:z/b/y.log")
}

// The event of a directory's end may come late, when there is another one by its name already.
func TestEndOfANamesake(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/b/x.log")
	c := step(t, New(options(dir)))
	c.w.handleEvent(fsnotify.Event{Name: filepath.Join(dir, "a", "b"), Op: fsnotify.Remove})
	c.w.handleEvent(fsnotify.Event{Name: filepath.Join(dir, "a"), Op: fsnotify.Rename})
	c.w.processEvents(t.Context())
	write(t, dir, "a/b/y.log")
	c.reported("0:a/b/y.log")
	if s := c.w.Stats(); s.Watched != 3 {
		t.Errorf("got %+v", s)
	}
}

func TestWithin(t *testing.T) {
	paths := map[string]struct{}{filepath.FromSlash("/a/b"): {}, filepath.FromSlash("/c"): {}}
	for dir, want := range map[string]bool{
		"/a/b": true, "/a/b/c": true, "/a/b/c/d/e": true, "/c": true, "/c/a": true,
		"/a": false, "/a/bc": false, "/a/c/b": false, "/": false, "": false, "/b": false,
	} {
		if got := isWithin(paths, filepath.FromSlash(dir)); got != want {
			t.Errorf("%s: got %v", dir, got)
		}
	}
}

// A walk lets go of whatever it has not met, however that came to be watched.
func TestStrayWatch(t *testing.T) {
	dir, stray := t.TempDir(), t.TempDir()
	c := step(t, New(options(dir)))
	c.w.watch(stray)
	c.w.scan(t.Context())
	if s := c.w.Stats(); s.Watched != 1 {
		t.Errorf("got %+v", s)
	}
	before := c.w.Stats().Events
	write(t, stray, "a.log")
	write(t, dir, "b.log")
	c.reported("0:b.log")
	if n := c.w.Stats().Events - before; n > 2 {
		t.Errorf("%d events for a file that was made and written", n)
	}
}

// A watch that the system has ended without a word is made anew by the next walk.
func TestLostWatch(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	c := step(t, New(options(dir)))
	if err := c.w.notifier.events.Remove(filepath.Join(dir, "p")); err != nil {
		t.Fatal(err)
	}
	c.w.scan(t.Context())
	write(t, dir, "p/a.log")
	c.reported("0:p/a.log")
}

func TestHalfAWalkIsNone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := New(options(dir))
	w.scan(ctx)
	defer w.closeNotifier()
	if u := w.Take(); u.Tree != nil || w.Stats().Scans != 0 {
		t.Errorf("got %v after %d walks", u.Tree, w.Stats().Scans)
	}
}
