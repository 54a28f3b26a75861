package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// eventBuffer is the buffer of a watched directory on Windows in bytes, enough for
// about fifty events. Other systems ignore it.
const eventBuffer = 8 << 10

// A notifier is an fsnotify.Watcher and the directories that it watches. One goroutine
// receives its events; another goroutine calls the methods.
type notifier struct {
	events     *fsnotify.Watcher
	maxWatches int
	watched    *dirTree[bool] // by real path: seen by the current walk
	drain      sync.WaitGroup
}

// newNotifier calls note with every event and fail with every error until close, on one
// goroutine, which must not be blocked.
func newNotifier(events *fsnotify.Watcher, maxWatches int, note func(fsnotify.Event), fail func(error)) *notifier {
	n := &notifier{events: events, maxWatches: maxWatches, watched: newDirTree[bool]()}
	n.drain.Go(func() {
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
	})
	return n
}

// close stops all watches. No event is delivered after it returns.
func (n *notifier) close() {
	_ = n.events.Close() // the watches end in any case
	n.drain.Wait()
}

// beginWalk marks all watches of the system as not seen.
func (n *notifier) beginWalk() {
	n.watched = newDirTree[bool]()
	for _, dir := range n.events.WatchList() {
		n.watched.put(dir, false)
	}
}

// watch watches a directory unless it is watched already. A missing or unreadable
// directory is no error here: walks report it.
func (n *notifier) watch(dir string) error {
	if seen := n.watched.get(dir); seen != nil {
		*seen = true
		return nil
	}
	if n.watched.size >= n.maxWatches {
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
	n.watched.put(dir, true)
	return nil
}

// forget forgets the watches of a directory and of all directories below it, so that
// directories that take their places are watched. It reports whether there were any.
func (n *notifier) forget(dir string) bool {
	return len(n.watched.remove(dir)) > 0
}

// hasUnseen reports whether the walk did not see some watched directory.
func (n *notifier) hasUnseen() bool {
	for _, dir := range n.watched.nodes {
		if dir.hasValue && !dir.value {
			return true
		}
	}
	return false
}
