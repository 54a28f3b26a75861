package watcher

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

var errRemote = errors.New("a source is on a file system that other machines may write to")

// openPoller prepares polling, unless there are events.
func (w *Watcher) openPoller() {
	if w.notifier != nil {
		w.stopPolling()
		return
	}
	if w.poller == nil {
		w.poller = newPoller(w.o, w.updates)
	}
	w.poller.beginWalk(w.roots)
	switch remote := w.hasRemoteRoot(); {
	case remote:
		w.poller.setEvents(nil)
	case w.poller.events == nil:
		w.poller.setEvents(w.openFileEvents())
	}
}

// hasRemoteRoot reports whether other machines may write below a root, without events
// here.
func (w *Watcher) hasRemoteRoot() bool {
	return slices.ContainsFunc(w.roots, func(r root) bool { return r.present() && w.isRemote(r.real) })
}

// openFileEvents returns events of single files, or nil if they are not wanted or not
// available.
func (w *Watcher) openFileEvents() *fileEvents {
	if w.o.MaxFileWatches <= 0 {
		return nil
	}
	events, err := w.newFSNotify()
	if err != nil {
		w.warnPolling(fmt.Errorf("open file events: %w", err))
		return nil
	}
	return newFileEvents(events, w.o.MaxFileWatches, w.handleFileEvent, w.handleFileError)
}

// enter prepares for changes in a directory that is about to be read.
func (w *Watcher) enter(dir string) {
	w.watch(dir)
	if w.poller != nil {
		w.poller.enter(dir)
	}
}

// endPolling ends a walk. If the system has refused events in the course of it, the
// poller does not know the directories yet, so another one follows.
func (w *Watcher) endPolling(t tree) {
	switch {
	case w.poller != nil:
		w.poller.endWalk(t)
	case w.notifier == nil:
		w.scanAt = time.Time{}
	}
	w.countPolling()
}

// stopPolling ends polling.
func (w *Watcher) stopPolling() {
	if w.poller != nil {
		w.poller.close()
		w.poller = nil
	}
}

// countPolling updates the statistics.
func (w *Watcher) countPolling() {
	var intervals [TierCount]time.Duration
	files := 0
	if w.poller != nil {
		intervals, files = w.poller.intervals(), w.poller.watched()
		intervals[Walks] = w.pause()
	}
	w.stats.files.Store(int64(files))
	for t, interval := range intervals {
		w.stats.intervals[t].Store(int64(interval))
	}
}
