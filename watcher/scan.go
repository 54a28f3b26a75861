package watcher

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// restFactor is the minimum pause after a walk or a check, as a multiple of its
	// duration.
	restFactor = 10
	// restPerEntry is the minimum pause after a walk for each file and directory: a
	// thousand times its CPU time. This is estimated by the number of entries, not
	// measured by a clock: a walk of 20 ms of CPU time takes up to two seconds while
	// other processes use the processors, which is no reason to walk less often.
	restPerEntry = 4 * time.Millisecond

	// maxScanFactor limits the pause between walks, as a multiple of ScanInterval.
	maxScanFactor = 10
	// rootCheckFactor is the time between checks of the roots, as a multiple of
	// PollInterval.
	rootCheckFactor = 5
)

// scan walks everything, and watches every directory before reading it.
func (w *Watcher) scan(ctx context.Context) {
	start := time.Now()
	w.findRoots()
	w.openNotifier(start)
	polling := w.notifier == nil // else another walk begins with that
	for _, p := range w.pollers {
		p.beginWalk(w.roots)
	}
	dirs := 0
	o := w.o
	o.expected = w.fileCount + w.fileCount/64
	t := walkRoots(ctx, o, w.roots, func(dir string) {
		dirs++
		w.watch(dir)
		if polling {
			r, _ := w.roots.nearest(dir)
			w.pollers[r.source].enter(dir)
		}
	})
	if ctx.Err() != nil {
		return // otherwise, the rest of an incomplete tree would seem to be missing
	}
	if w.notifier != nil && len(t.unreadable) == 0 && w.notifier.hasUnseen() {
		w.rewatch = true // with the next walk
	}
	w.dirCount, w.fileCount, w.lastWalk = dirs, len(t.files), time.Now()
	took := w.lastWalk.Sub(start)
	w.durations = append(w.durations[max(0, len(w.durations)-2):], took)
	w.scanAt = w.lastWalk.Add(w.pause())
	if t.newLinks {
		w.scanSoon()
	}
	if t.newRoots && !w.roots.same(w.roots.again(w.o)) {
		w.Rescan()
	}
	if polling {
		for i, p := range w.pollers {
			p.endWalk(t.of(i))
		}
	}
	w.recordWalk(t)
	w.updates.endWalk(t)
	w.o.OnScan(took)
}

// pause returns the time between walks. Walks use about a thousandth of a core at most,
// and a tenth of the time of a slow file system.
func (w *Watcher) pause() time.Duration {
	rest := max(restFactor*w.walkTime(), restPerEntry*time.Duration(w.dirCount+w.fileCount))
	return max(w.o.ScanInterval, min(maxScanFactor*w.o.ScanInterval, rest))
}

// walkTime estimates the duration of a walk by the shortest of the last three walks,
// since other processes may delay a walk. The first walk alone does not count: it fills
// the page cache.
func (w *Watcher) walkTime() time.Duration {
	if len(w.durations) < 2 {
		return 0
	}
	return slices.Min(w.durations)
}

// findRoots resolves the roots. A change of a directory above a root causes no event,
// but the root's watches then belong to other directories.
func (w *Watcher) findRoots() {
	before := w.roots
	w.roots = findRoots(w.o)
	w.updates.beginWalk(w.roots)
	for i, r := range w.roots.all[:len(w.o.Roots)] {
		switch {
		case before.all == nil:
			w.logRoot(r, r.present())
		case !r.same(before.all[i]):
			w.logRoot(r, before.all[i].present())
		}
	}
	if before.all != nil && !w.roots.same(before) {
		w.rewatch = true
	}
}

// logRoot logs the appearance or disappearance of a root.
func (w *Watcher) logRoot(r root, wasPresent bool) {
	log := w.o.Logger.With(slog.String("root", r.path))
	switch present := r.present(); {
	case present && !wasPresent:
		log.Info("Source directory appeared")
	case !present && wasPresent:
		log.Info("Source directory disappeared", "err", WithoutPath(r.err))
	case !present && isNotExist(r.err):
		log.Info("Source directory does not exist yet, waiting for it", "err", WithoutPath(r.err))
	}
}

// recordWalk counts a walk and reports unreadable directories.
func (w *Watcher) recordWalk(t tree) {
	w.reportUnreadable(t)
	t.skipped.log(w.o, w.skipped)
	w.skipped = t.skipped
	w.stats.scans.Add(1)
	w.stats.unreadable.Store(int64(len(t.unreadable)))
	w.stats.polling.Store(w.notifier == nil)
	w.countWatches()
	if w.notifier != nil && w.warned {
		w.warned = false
		w.o.Logger.Info("File events available again")
	}
}

// reportUnreadable warns about roots with unreadable directories, and logs the path of
// each directory at debug level: once until the root, or the directory, is readable
// again. The warning names the first directory, or its project: names below a project
// are ids of sessions.
func (w *Watcher) reportUnreadable(t tree) {
	before := w.unreadable
	w.unreadable = make(map[File]struct{}, len(t.unreadable))
	failures := make([]int, len(w.o.Roots))
	first := make([]error, len(w.o.Roots))
	names := make([]string, len(w.o.Roots))
	for i, d := range t.unreadable {
		w.unreadable[d] = struct{}{}
		err := WithoutPath(t.errs[i])
		if failures[d.Root]++; first[d.Root] == nil {
			first[d.Root] = err
			project, _, _ := strings.Cut(d.Rel, string(filepath.Separator))
			names[d.Root] = filepath.Join(w.roots.all[d.Root].path, project)
		}
		if _, reported := before[d]; !reported {
			w.o.Logger.Debug("Unreadable directory", "path", filepath.Join(w.roots.all[d.Root].path, d.Rel), "err", err)
		}
	}
	for i, n := range failures {
		if n > 0 && !w.warnedRoots[i] {
			w.o.Logger.Warn("Failed to read a directory, retrying with every scan",
				"root", w.roots.all[i].path, "directories", n, "first", names[i], "err", first[i], "hint", "the log at debug level names all")
		}
		w.warnedRoots[i] = n > 0
	}
}

// processEvents watches new directories. If a watched directory was removed or renamed,
// all watches are renewed later: a directory cannot be watched twice, and watches at
// and below a renamed directory report its old name.
func (w *Watcher) processEvents(ctx context.Context) {
	paths, err := w.pending.take()
	if err != nil {
		w.o.Logger.Warn("File events were lost, scanning all directories", "err", WithoutPath(err))
		w.renew()
	}
	for path, gone := range paths {
		if gone && w.notifier != nil && w.notifier.forget(path) {
			w.renew()
		}
		if w.roots.has(path) {
			w.Rescan()
		}
		if w.isLink(path) {
			w.scanSoon()
		}
	}
	for path := range paths {
		if w.notifier != nil && ctx.Err() == nil { // until a watch is refused
			w.adopt(ctx, path)
		}
	}
	w.countWatches()
}

// adopt watches a new directory and everything below it, and reports the files in it.
func (w *Watcher) adopt(ctx context.Context, path string) {
	k := newWalker(w.o, w.roots, path)
	defer k.close()
	k.enter = w.watch
	k.found = func(dir, name string, _ Info) { w.updates.markDirty(filepath.Join(dir, name)) }
	if info, err := os.Lstat(path); err == nil && info.IsDir() && k.enters(path) {
		k.walk(ctx, path)
	}
}

// isLink reports whether there is, or was, a link at a path directly below a source.
func (w *Watcher) isLink(path string) bool {
	if w.roots.isLinkAt(path) {
		return true
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink && w.roots.isSource(filepath.Dir(path))
}

// renew renews all watches with the next walk, which follows soon.
func (w *Watcher) renew() {
	w.rewatch = true
	w.scanSoon()
}

// scanSoon makes the next walk follow soon. If walks take long, or the reasons do not
// end, the walk waits.
func (w *Watcher) scanSoon() {
	w.scanAt = earlier(w.scanAt, w.lastWalk.Add(max(w.o.PollInterval, restFactor*w.walkTime())))
}

func (w *Watcher) countWatches() {
	n := 0
	if w.notifier != nil {
		n = w.notifier.watched.size
	}
	w.stats.watched.Store(int64(n))
}
