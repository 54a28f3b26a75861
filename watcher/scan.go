package watcher

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The shares are how many times as long as a walk took nothing follows it.
const (
	pollShare  = 200  // polling costs at most half a percent of a core
	walkShare  = 1500 // and walking beside events far less than a tenth
	stormShare = 10   // for walks because of lost events, which may be lost again at once

	// longestScan is how many times as long as Options.ScanInterval the time between two walks may become.
	longestScan = 10
	// eventsRoots is how many times as long as Options.PollInterval the time between two looks at the roots is while there are events, which
	// tell of most that may become of a root.
	eventsRoots = 5
)

// pathsHint says how to find what cannot be read.
const pathsHint = "paths are logged at debug level"

var errBudget = errors.New("more directories than the budget of watches allows")

// scan walks everything, watches every directory before it is read, and lets go of those that are no more.
func (w *Watcher) scan(ctx context.Context) {
	start := time.Now()
	w.findRoots()
	w.openSource(start)
	dirs := 0
	t := walkRoots(ctx, w.o, w.roots, func(dir string) {
		dirs++
		w.watch(dir)
	})
	if ctx.Err() != nil {
		return // part of a tree would look as if the rest were gone
	}
	if w.source != nil {
		w.source.sweep()
	}
	w.dirs, w.ended = dirs, time.Now()
	took := w.ended.Sub(start)
	w.took = append(w.took[max(0, len(w.took)-2):], took)
	w.scanAt = w.ended.Add(w.pause())
	w.report(t)
	w.gather.complete(t)
	w.o.OnScan(took)
}

// pause is the time from one walk to the next.
func (w *Watcher) pause() time.Duration {
	if w.source != nil {
		return max(w.o.ScanInterval, min(longestScan*w.o.ScanInterval, walkShare*w.usual()))
	}
	return max(w.o.PollInterval, min(w.o.ScanInterval, pollShare*w.usual()))
}

// usual is how long a walk takes. One that takes far longer than those before was held up by something else, and tells nothing of the next;
// nor does the first one, which has to get everything from the disk.
func (w *Watcher) usual() time.Duration {
	if len(w.took) < 2 {
		return 0
	}
	return slices.Min(w.took)
}

// findRoots looks where the roots are now. A root that has changed may have done so by what is above it, which no event tells: its watches are
// of other directories with the same names.
func (w *Watcher) findRoots() {
	before := w.roots
	w.roots = findRoots(w.o.Roots)
	w.gather.begin(w.roots)
	for i, r := range w.roots {
		switch {
		case before == nil:
			w.say(r, r.present())
		case !r.same(before[i]):
			w.say(r, before[i].present())
			if w.source != nil {
				w.source.forget(map[string]struct{}{before[i].real: {}})
			}
		}
	}
}

// say logs what has become of a root.
func (w *Watcher) say(r root, before bool) {
	log := w.o.Logger.With(slog.String("root", r.path))
	switch now := r.present(); {
	case now && !before:
		log.Info("Directory to watch has appeared")
	case !now && before:
		log.Info("Directory to watch has vanished", "err", kind(r.err))
	case !now && gone(r.err):
		log.Info("Waiting for a directory that does not exist yet", "err", kind(r.err))
	}
}

// report counts a walk and warns of what it could not read, once per root until that is well again.
func (w *Watcher) report(t tree) {
	failures := make([]int, len(w.roots))
	first := make([]error, len(w.roots))
	for i, d := range t.unreadable {
		if failures[d.Root]++; first[d.Root] == nil {
			first[d.Root] = kind(t.errs[i])
		}
		if !w.ailing[d.Root] {
			w.o.Logger.Debug("Unreadable directory", "path", filepath.Join(w.roots[d.Root].path, d.Rel))
		}
	}
	for i, n := range failures {
		if n > 0 && !w.ailing[i] {
			w.o.Logger.Warn("Directory cannot be read and is retried at every walk", "root", w.roots[i].path, "directories", n, "err", first[i], "hint", pathsHint)
		}
		w.ailing[i] = n > 0
	}
	w.stats.scans.Add(1)
	w.stats.unreadable.Store(int64(len(t.unreadable)))
	w.stats.polling.Store(w.source == nil)
	w.countWatches()
	if w.source != nil && w.warned {
		w.warned = false
		w.o.Logger.Info("File events are back")
	}
}

// follow does what the events ask for.
func (w *Watcher) follow(ctx context.Context) {
	names, err := w.hints.take()
	if err != nil {
		w.lost(ctx, err)
	}
	if w.source == nil {
		return
	}
	// First away with every watch that was known by one of these names, then look at what bears them now. A directory that was moved goes on
	// reporting by its old name, and so does all below it, until it is let go; and a watch cannot be had twice. What kind of event it was does
	// not matter: that of a directory's end may come when there is another by its name, which is watched already.
	w.source.forget(names)
	for path := range names {
		if _, ok := w.roots.at(path); ok {
			w.scan(ctx)
			return
		}
	}
	for path := range names {
		w.adopt(ctx, path)
	}
	w.repair(ctx)
	w.countWatches()
}

// adopt watches a directory that has appeared with all below it, and reports every file that is there already.
func (w *Watcher) adopt(ctx context.Context, path string) {
	k := &walker{
		match:  w.o.Match,
		skip:   w.o.SkipDir,
		roots:  w.roots,
		enter:  w.watch,
		found:  func(path string, _ Info) { w.gather.touch(path) },
		failed: func(string, error) {}, // the next walk will say so
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() && k.enters(path) {
		k.walk(ctx, path)
	}
}

// repair gets back the watches that went away with others. Where a directory has been moved and nobody has told us yet, watching it by its new
// name yields the watch that it had by the old one, and that ends when the event comes.
func (w *Watcher) repair(ctx context.Context) {
	if w.source == nil {
		return
	}
	for _, dir := range w.source.missing() {
		w.adopt(ctx, dir)
	}
}

// lost has everything walked with new watches, because after an error nobody knows what the old ones are worth. In a storm of errors they go on
// for a little while.
func (w *Watcher) lost(ctx context.Context, err error) {
	if !w.renew {
		w.renew = true
		w.o.Logger.Info("File events were lost, walking instead", "err", kind(err))
	}
	w.scanAt = earlier(w.scanAt, w.ended.Add(max(w.o.PollInterval, stormShare*w.usual())))
	if !time.Now().Before(w.scanAt) {
		w.scan(ctx)
	}
}

func (w *Watcher) countWatches() {
	n := 0
	if w.source != nil {
		n = len(w.source.watched)
	}
	w.stats.watched.Store(int64(n))
}
