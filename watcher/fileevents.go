package watcher

import (
	"maps"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// fileEvents receive events of single files, at the price of one descriptor each. They
// serve systems that cannot watch a directory for the writes to its files (kqueue).
type fileEvents struct {
	events  *fsnotify.Watcher
	budget  int // of watched files
	watched map[string]struct{}
	drain   sync.WaitGroup

	mu    sync.Mutex
	ended map[string]struct{} // paths whose watch may have ended
	lost  bool                // any may have ended
}

// newFileEvents calls note with every event until close, on one goroutine, which must
// not be blocked.
func newFileEvents(events *fsnotify.Watcher, budget int, note func(fsnotify.Event), fail func(error)) *fileEvents {
	e := &fileEvents{
		events: events, budget: budget,
		watched: make(map[string]struct{}), ended: make(map[string]struct{}),
	}
	e.drain.Go(func() {
		receive(events, func(event fsnotify.Event) {
			note(event)
			e.noteEnd(event)
		}, func(err error) {
			fail(err)
			e.noteLoss()
		})
	})
	return e
}

// close stops all watches. It may be called on nil.
func (e *fileEvents) close() {
	if e == nil {
		return
	}
	_ = e.events.Close() // the watches end in any case
	e.drain.Wait()
}

// watch watches a file and reports success. A file that cannot be watched is checked
// instead.
func (e *fileEvents) watch(path string) bool {
	if e.events.Add(path) != nil {
		return false
	}
	e.watched[path] = struct{}{}
	return true
}

// unwatch stops watching a file. The error of a watch that the system has already
// removed is ignored.
func (e *fileEvents) unwatch(path string) {
	_ = e.events.Remove(path)
	delete(e.watched, path)
}

// noteEnd records that a name may no longer be that of the watched file.
func (e *fileEvents) noteEnd(event fsnotify.Event) {
	if event.Has(renamed | fsnotify.Chmod) { // inotify reports the removal of an open file as Chmod
		e.mu.Lock()
		e.ended[event.Name] = struct{}{}
		e.mu.Unlock()
	}
}

// noteLoss records that events were lost.
func (e *fileEvents) noteLoss() {
	e.mu.Lock()
	e.lost = true
	e.mu.Unlock()
}

// takeEnded returns and forgets the watched paths whose watch may have ended.
func (e *fileEvents) takeEnded() map[string]struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	ended := e.ended
	if e.lost {
		ended = maps.Clone(e.watched)
	}
	e.ended, e.lost = make(map[string]struct{}), false
	return ended
}
