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

// eventBuffer is the memory per watched directory on Windows, enough for some fifty events at once. Elsewhere it means nothing.
const eventBuffer = 8 << 10

// A source is one fsnotify.Watcher with the directories it watches. A goroutine drains it from the beginning; the methods belong to another.
type source struct {
	events  *fsnotify.Watcher
	budget  int
	watched map[string]bool // by real path, whether the walk under way has met it
	dropped bool            // some, since it was last asked what is missing
	drained sync.WaitGroup
}

// newSource calls note with every event and fail with every error until the source is closed, on one goroutine, which must not be held up.
func newSource(events *fsnotify.Watcher, budget int, note func(fsnotify.Event), fail func(error)) *source {
	s := &source{events: events, budget: budget, watched: make(map[string]bool)}
	s.drained.Go(func() {
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
	return s
}

// close ends everything, and returns when no more event can come.
func (s *source) close() {
	_ = s.events.Close() // nothing can be done about it
	s.drained.Wait()
}

// refresh begins a walk: what the system really watches counts, and nothing of it has been met.
func (s *source) refresh() {
	clear(s.watched)
	for _, dir := range s.events.WatchList() {
		s.watched[dir] = false
	}
}

// watch watches a directory, or does nothing if it does already. What cannot be watched because it is gone or closed to us is no error: a walk
// tells about it.
func (s *source) watch(dir string) error {
	if _, ok := s.watched[dir]; ok {
		s.watched[dir] = true
		return nil
	}
	if len(s.watched) >= s.budget {
		return errBudget
	}
	err := s.events.AddWith(dir, fsnotify.WithBufferSize(eventBuffer))
	switch {
	case gone(err) || errors.Is(err, fs.ErrPermission):
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("watch a directory: fs.inotify.max_user_watches is used up: %w", err)
	case err != nil:
		return fmt.Errorf("watch a directory: %w", err)
	}
	s.watched[dir] = true
	return nil
}

// sweep ends a walk: what it has not met is no longer there.
func (s *source) sweep() {
	for dir, met := range s.watched {
		if !met {
			s.drop(dir)
		}
	}
}

// forget drops the watches of the given paths and of all directories below them, whether or not these are watched themselves: a directory may
// have lost its watch already when the event comes that concerns those below it.
func (s *source) forget(paths map[string]struct{}) {
	for dir := range s.watched {
		if within(paths, dir) {
			s.drop(dir)
		}
	}
}

// drop ends one watch. The system has often done so before, and then says that there is none.
func (s *source) drop(dir string) {
	_ = s.events.Remove(dir)
	delete(s.watched, dir)
	s.dropped = true
}

// missing returns, and forgets, the directories that were thought to be watched and are not. That can only be after others were dropped.
func (s *source) missing() []string {
	if !s.dropped {
		return nil
	}
	s.dropped = false
	listed := make(map[string]struct{}, len(s.watched))
	for _, dir := range s.events.WatchList() {
		listed[dir] = struct{}{}
	}
	var missing []string
	for dir := range s.watched {
		if _, ok := listed[dir]; !ok {
			missing = append(missing, dir)
			delete(s.watched, dir)
		}
	}
	return missing
}

// within reports whether a directory or one above it is among the paths. It is asked of every watched directory whenever a file is made.
func within(paths map[string]struct{}, dir string) bool {
	for end := len(dir); end > 0; end = strings.LastIndexByte(dir[:end], filepath.Separator) {
		if _, ok := paths[dir[:end]]; ok {
			return true
		}
	}
	return false
}
