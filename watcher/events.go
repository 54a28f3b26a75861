package watcher

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

var (
	errTooManyDirs = errors.New("more directories than the limit of watches")
	errRemote      = errors.New("a source is on a file system that other machines may write to")
)

// renamed are the events that may change the file behind a name.
const renamed = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

// hasDirectoryEvents reports whether a system can watch a directory without a
// descriptor for each file in it.
func hasDirectoryEvents(goos string) bool {
	switch goos {
	case "linux", "android", "windows":
		return true
	}
	return false
}

// openNotifier starts receiving events, if possible.
func (w *Watcher) openNotifier(now time.Time) {
	if w.rewatch {
		w.closeNotifier()
	}
	switch {
	case w.o.MaxWatches >= 0 && hasDirectoryEvents(runtime.GOOS) && w.hasRemoteRoot():
		w.closeNotifier()
		w.warnPolling(errRemote)
		return
	case w.notifier != nil:
		w.notifier.beginWalk()
		return
	case w.o.MaxWatches < 0 || !hasDirectoryEvents(runtime.GOOS):
		return
	case w.dirCount > w.o.MaxWatches || now.Before(w.retryAt):
		return
	}
	events, err := w.newFSNotify()
	if err != nil {
		w.degrade(fmt.Errorf("open file events: %w", err))
		return
	}
	w.notifier = newNotifier(events, w.o.MaxWatches, w.eventPause, receiver{w.handleEvent, w.updates.wakeIfDirty, w.handleError})
}

// watch watches one directory. The first failure switches to polling, which begins with
// another walk: partial events would be less reliable than none.
func (w *Watcher) watch(dir string) {
	if w.notifier == nil {
		return
	}
	if err := w.notifier.watch(dir); err != nil {
		w.degrade(err)
		w.Rescan()
	}
}

// degrade switches to polling. Every walk checks whether the directories are within the
// limit; degrade allows another attempt to open a notifier after ten ScanIntervals.
func (w *Watcher) degrade(err error) {
	w.closeNotifier()
	if !errors.Is(err, errTooManyDirs) {
		w.retryAt = time.Now().Add(maxScanFactor * w.o.ScanInterval)
	}
	w.warnPolling(err)
}

// warnPolling warns once about the reason for polling.
func (w *Watcher) warnPolling(err error) {
	if !w.warned {
		w.warned = true
		w.o.Logger.Warn("File events unavailable, polling instead", slog.Any("err", WithoutPath(err)))
	}
}

// hasRemoteRoot reports whether other machines may write below a root, without events
// here.
func (w *Watcher) hasRemoteRoot() bool {
	return slices.ContainsFunc(w.roots.all, func(r root) bool { return r.present() && w.isRemote(r.real) })
}

// closeNotifier stops events and drops pending events. A walk must follow.
func (w *Watcher) closeNotifier() {
	w.rewatch = false
	if w.notifier == nil {
		return
	}
	w.notifier.close()
	w.notifier = nil
	w.pending.clear()
}

// handleEvent records an event. It runs on the goroutine that receives events.
func (w *Watcher) handleEvent(e fsnotify.Event) {
	w.stats.events.Add(1)
	path := filepath.Clean(e.Name)
	if e.Has(renamed|fsnotify.Write) && w.o.Match(filepath.Base(path)) {
		w.updates.mark(path)
	}
	if e.Has(renamed) {
		w.pending.add(path, !e.Has(fsnotify.Create))
	}
}

// handleError records one error, on the same goroutine.
func (w *Watcher) handleError(err error) {
	if errors.Is(err, syscall.EINVAL) {
		return // a directory was moved and removed before its watch was dropped; no event was lost
	}
	w.stats.overflows.Add(1)
	w.pending.fail(err)
}
