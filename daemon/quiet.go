package daemon

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// quiet counts what is left open in files that have not changed for a while.
func (e *engine) quiet(ctx context.Context, settle time.Duration) {
	e.calm = earlier(e.calm, e.now()) // if the clock was set back
	if len(e.awake) == 0 || e.now().Sub(e.calm) < settle {
		return
	}
	roots := e.openRoots()
	defer roots.close()
	e.calm = e.now()
	for _, id := range slices.Sorted(maps.Keys(e.awake)) {
		e.quietFile(ctx, roots, id, settle)
	}
	e.awake = maps.Collect(maps.All(e.awake)) // after a catch-up it was large
}

func (e *engine) quietFile(ctx context.Context, roots roots, id ledger.FileID, settle time.Duration) {
	at := e.awake[id]
	if !e.waits(at) {
		delete(e.awake, id) // what it waited for came from elsewhere
		return
	}
	if at.waits && at.here && e.now().Sub(at.quietSince()) >= settle {
		// The walk may be late: see that nothing came since.
		e.one(ctx, roots, at.name)
		at = e.awake[id]
	}
	if at == nil || !at.waits {
		return
	}
	if at.quietSince().After(e.now()) {
		at.seen = e.now() // the clock was set back
	}
	since := e.quietSince(at)
	if e.now().Sub(since) < settle || e.doubtful(at) || at.here && !e.lastLine(roots, at.name) {
		e.calm = earlier(e.calm, since)
		return
	}
	if at.waits = false; at.size == at.offset {
		delete(e.awake, id)
	}
	e.shared.do(&quietStep{id: id, now: e.now().UnixMilli()})
}

// doubtful reports whether a file may still turn out to be one that was moved: its
// old place is not missed before a walk that began when it was in its new one.
func (e *engine) doubtful(at *foundFile) bool {
	return at.here && e.walks-at.walks < 2 && e.shared.doubtful(at.id)
}

// quietSince is when a file changed last, or was missed: one that is not there
// may be on its way to another place.
func (e *engine) quietSince(at *foundFile) time.Time {
	if at.here {
		return at.quietSince()
	}
	return e.shared.goneSince(at.id)
}

// lastLine reads the last line of a file that is quiet, and reports whether that
// could be done.
func (e *engine) lastLine(roots roots, name watcher.File) bool {
	err := e.rest(roots, name)
	if err != nil {
		e.fails(name, err)
	}
	return err == nil
}

// forget drops what only files that are long gone could repeat.
func (e *engine) forget(now time.Time) {
	e.forgotten = now
	e.shared.mu.Lock()
	ids := e.shared.state.files.lostBefore(now.Add(-e.settings.Retention).UnixMilli())
	e.shared.mu.Unlock()
	if len(ids) > 0 {
		e.shared.do(&forgetStep{ids: ids, now: now.UnixMilli()})
		e.Logger.Info("Forgot files that are long gone", "files", len(ids))
	}
}
