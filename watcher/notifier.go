package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// eventBuffer is the buffer of a watched directory on Windows in bytes, enough for
// about fifty events. Other systems ignore it.
const eventBuffer = 8 << 10

// A notifier is an fsnotify.Watcher and the directories that it watches. One goroutine
// receives its events; another one calls the methods.
type notifier struct {
	events     *fsnotify.Watcher
	maxWatches int
	watched    map[string]bool // by real path: seen by the current walk
	dropped    bool            // a watch was dropped since the last call of lostWatches
	drain      sync.WaitGroup
}

// newNotifier calls note with every event and fail with every error until close, on one
// goroutine, which must not be blocked.
func newNotifier(events *fsnotify.Watcher, maxWatches int, note func(fsnotify.Event), fail func(error)) *notifier {
	n := &notifier{events: events, maxWatches: maxWatches, watched: make(map[string]bool)}
	n.drain.Go(func() { receive(events, note, fail) })
	return n
}

// receive calls note with every event and fail with every error until the watcher is
// closed.
func receive(events *fsnotify.Watcher, note func(fsnotify.Event), fail func(error)) {
	for {
		select {
		case e, ok := <-events.Events:
			if !ok {
				return
			}
			note(e)
		case err, ok := <-events.Errors:
			if !ok {
				return
			}
			fail(err)
		}
	}
}

// close stops all watches. No event is delivered after it returns.
func (n *notifier) close() {
	_ = n.events.Close() // the watches end in any case
	n.drain.Wait()
}

// beginWalk marks all watches of the system as not seen.
func (n *notifier) beginWalk() {
	clear(n.watched)
	for _, dir := range n.events.WatchList() {
		n.watched[dir] = false
	}
}

// watch watches a directory unless it is watched already. A missing or unreadable
// directory is no error here, since walks report it.
func (n *notifier) watch(dir string) error {
	if _, ok := n.watched[dir]; ok {
		n.watched[dir] = true
		return nil
	}
	if len(n.watched) >= n.maxWatches {
		return errTooManyDirs
	}
	err := n.events.AddWith(dir, fsnotify.WithBufferSize(eventBuffer))
	switch {
	case isNotExist(err) || errors.Is(err, fs.ErrPermission):
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("watch a directory: fs.inotify.max_user_watches is exhausted: %w", err)
	case err != nil:
		return fmt.Errorf("watch a directory: %w", err)
	}
	n.watched[dir] = true
	return nil
}

// dropUnseen drops the watches of directories that the walk has not seen.
func (n *notifier) dropUnseen() {
	for dir, seen := range n.watched {
		if !seen {
			n.drop(dir)
		}
	}
}

// forget drops the watches of the given paths and of all directories below them, even
// if a path itself is not watched: a directory may have lost its watch before the event
// of its parent arrives.
func (n *notifier) forget(paths map[string]struct{}) {
	for dir := range n.watched {
		if isWithin(paths, dir) {
			n.drop(dir)
		}
	}
}

// drop removes one watch. The error of one that the system has already removed is
// ignored.
func (n *notifier) drop(dir string) {
	_ = n.events.Remove(dir)
	delete(n.watched, dir)
	n.dropped = true
}

// lostWatches returns and forgets directories whose watch was lost by dropping another
// one.
func (n *notifier) lostWatches() []string {
	if !n.dropped {
		return nil
	}
	n.dropped = false
	listed := make(map[string]struct{}, len(n.watched))
	for _, dir := range n.events.WatchList() {
		listed[dir] = struct{}{}
	}
	var lost []string
	for dir := range n.watched {
		if _, ok := listed[dir]; !ok {
			lost = append(lost, dir)
			delete(n.watched, dir)
		}
	}
	return lost
}

// isWithin reports whether a directory or one of its parents is among the paths. It is
// called for every watched directory whenever a file is created.
func isWithin(paths map[string]struct{}, dir string) bool {
	for end := len(dir); end > 0; end = strings.LastIndexByte(dir[:end], filepath.Separator) {
		if _, ok := paths[dir[:end]]; ok {
			return true
		}
	}
	return false
}
