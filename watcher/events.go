package watcher

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// renamed are the events after which a name may stand for something else, or nothing.
const renamed = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

// eventsFor reports whether a system watches a directory without spending something on each file in it.
func eventsFor(goos string) bool {
	switch goos {
	case "linux", "android", "windows":
		return true
	}
	return false
}

// openSource sees to it that there are events, if there can be.
func (w *Watcher) openSource(now time.Time) {
	if w.renew {
		w.closeSource()
	}
	switch {
	case w.source != nil:
		w.source.refresh()
		return
	case w.o.MaxWatches < 0 || !eventsFor(runtime.GOOS):
		return
	case w.dirs > w.o.MaxWatches || now.Before(w.retry):
		return
	}
	events, err := w.open()
	if err != nil {
		w.degrade(fmt.Errorf("open file events: %w", err))
		return
	}
	w.source = newSource(events, w.o.MaxWatches, w.note, w.fail)
}

// watch watches one directory. The first refusal ends the use of events: half of them would be harder to rely on than none.
func (w *Watcher) watch(dir string) {
	if w.source == nil {
		return
	}
	if err := w.source.watch(dir); err != nil {
		w.degrade(err)
	}
}

// degrade goes over to polling. Whether the budget is still too small, a walk can tell; the system has to be asked again, now and then.
func (w *Watcher) degrade(err error) {
	w.closeSource()
	w.scanAt = time.Time{}
	if !errors.Is(err, errBudget) {
		w.retry = time.Now().Add(w.o.ScanInterval)
	}
	if !w.warned {
		w.warned = true
		w.o.Logger.Warn("No file events, polling instead", slog.Any("err", kind(err)))
	}
}

// closeSource ends the events and forgets what they asked for. A walk has to follow.
func (w *Watcher) closeSource() {
	if w.source == nil {
		return
	}
	w.source.close()
	w.source, w.renew = nil, false
	w.hints.clear()
}

// note takes in one event. It runs on the goroutine that drains them.
func (w *Watcher) note(e fsnotify.Event) {
	w.stats.events.Add(1)
	path := filepath.Clean(e.Name)
	if e.Has(renamed|fsnotify.Write) && w.o.Match(filepath.Base(path)) {
		w.gather.touch(path)
	}
	if e.Has(renamed) {
		w.hints.add(path)
	}
}

// fail takes in one error, on the same goroutine.
func (w *Watcher) fail(err error) {
	if errors.Is(err, syscall.EINVAL) {
		return // a directory was moved and then removed before its watch could be ended; nothing was lost
	}
	w.stats.overflows.Add(1)
	w.hints.fail(err)
}
