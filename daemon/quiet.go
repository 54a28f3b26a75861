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
	if len(e.restless) == 0 || e.now().Sub(e.calm) < settle {
		return
	}
	roots := e.openRoots()
	defer roots.close()
	e.calm = e.now()
	for _, id := range slices.Sorted(maps.Keys(e.restless)) {
		if name, there := e.names[id]; there && e.now().Sub(e.quietSince(id)) >= settle {
			// The walk may be late: see that nothing came since.
			e.one(ctx, roots, name)
		}
		if since := e.quietSince(id); e.now().Sub(since) < settle {
			e.calm = earlier(e.calm, since)
			continue
		}
		if name, there := e.names[id]; there {
			e.lastLine(roots, name)
		}
		delete(e.restless, id)
		e.shared.do(&quietStep{id: id, now: e.now().UnixMilli()})
	}
}

// quietSince is when a file changed last, or was missed: one that is not there
// may be on its way to another place.
func (e *engine) quietSince(id ledger.FileID) time.Time {
	if name, there := e.names[id]; there {
		return e.found[name].quietSince()
	}
	return e.shared.goneSince(id)
}

func (e *engine) lastLine(roots roots, name watcher.File) {
	if err := e.rest(roots, name); err != nil {
		e.Logger.Warn("Failed to read the last line of a file", "source", e.sources[name.Root].path, "err", cause(err))
	}
}

// forget drops what only files that are long gone could repeat.
func (e *engine) forget(now time.Time) {
	e.forgotten = now
	e.shared.mu.Lock()
	ids := e.shared.state.goneBefore(now.Add(-e.settings.Retention).UnixMilli())
	e.shared.mu.Unlock()
	if len(ids) > 0 {
		e.shared.do(&forgetStep{ids: ids, now: now.UnixMilli()})
		e.Logger.Info("Forgot files that are long gone", "files", len(ids))
	}
}
