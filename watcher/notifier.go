package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// maxBatch limits the events of a batch, so that a batch of endless events ends.
	maxBatch = 4096
	// silence ends a batch: fsnotify passes the events of the system's queue one by one.
	silence = time.Millisecond
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

// A receiver has functions for events and errors, which must not block.
type receiver struct {
	note  func(fsnotify.Event)
	noted func() // the batch has ended
	fail  func(error)
}

// newNotifier passes events and errors on until close, on one goroutine. An event after
// a pause is passed on at once. Later events wait for the end of the pause, and are
// passed on in a batch: waking up for every line takes more CPU time than reading it.
func newNotifier(events *fsnotify.Watcher, maxWatches int, pause time.Duration, to receiver) *notifier {
	n := &notifier{events: events, maxWatches: maxWatches, watched: newDirTree[bool]()}
	n.drain.Go(func() { n.receive(pause, to) })
	return n
}

func (n *notifier) receive(pause time.Duration, to receiver) {
	var last, began time.Time // end of the last batch, and begin of the present batch
	batch := 0                // number of its events
	end := time.NewTimer(0)
	defer end.Stop()
	flush := func() {
		to.noted()
		batch, last = 0, time.Now()
	}
	for {
		select {
		case e, ok := <-n.events.Events:
			if !ok {
				return
			}
			wait := time.Until(last.Add(pause))
			alone := batch == 0 && wait <= 0
			if batch == 0 {
				time.Sleep(wait) // meanwhile the system collects events
				began = time.Now()
			}
			to.note(e)
			if batch++; alone || batch == maxBatch || time.Since(began) >= pause {
				flush()
			} else {
				end.Reset(silence)
			}
		case <-end.C:
			if batch > 0 {
				flush()
			}
		case err, ok := <-n.events.Errors:
			if !ok {
				return
			}
			to.fail(err)
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
	n.watched = newDirTree[bool]()
	for _, dir := range n.events.WatchList() {
		n.watched.put(dir, false)
	}
}

// watch watches a directory unless it is watched already. A missing or unreadable
// directory, or one whose path is too long, is no error here: walks report it.
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
	case isNotExist(err), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENAMETOOLONG):
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
