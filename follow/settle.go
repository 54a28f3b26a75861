package follow

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// FinalizeQuiet counts what is pending in active files that have not changed for a time.
func (f *Follower) FinalizeQuiet(ctx context.Context, timeout time.Duration) {
	f.quietSince = earlier(f.quietSince, f.now()) // if the clock was set back
	if len(f.active) == 0 || f.now().Sub(f.quietSince) < timeout {
		return
	}
	roots := f.openRoots()
	defer roots.close()
	f.quietSince = f.now()
	for _, id := range slices.Sorted(maps.Keys(f.active)) {
		f.finalizeIfQuiet(ctx, roots, id, timeout)
	}
	f.active = maps.Collect(maps.All(f.active)) // after a catch-up it was large
}

func (f *Follower) finalizeIfQuiet(ctx context.Context, roots roots, id ledger.FileID, timeout time.Duration) {
	a := f.active[id]
	if !f.waits(a) {
		delete(f.active, id) // what it waited for was found in another file
		return
	}
	if a.waits && a.here && f.now().Sub(a.quietSince()) >= timeout {
		// The walk may be late: make sure that nothing is new.
		f.readOne(ctx, roots, a.name)
		a = f.active[id]
	}
	if a == nil || !a.waits {
		return
	}
	if a.quietSince().After(f.now()) {
		a.seen = f.now() // the clock was set back
	}
	since := f.lastChange(a)
	if f.now().Sub(since) < timeout || f.mayHaveMoved(a) || a.here && !f.readLastLine(roots, a.name) {
		f.quietSince = earlier(f.quietSince, since)
		return
	}
	if a.waits = false; a.size == a.offset {
		delete(f.active, id)
	}
	f.state.FinalizeFile(id)
}

// mayHaveMoved reports whether a file may still turn out to be a known one that was
// moved: its old path is only missed by a walk that began after the move.
func (f *Follower) mayHaveMoved(a *activeFile) bool {
	return a.here && f.walks-a.walks < 2 && f.state.MayHaveMoved(a.id)
}

// lastChange returns when a file last changed, or was first missing: a missing file may
// be on its way to another path.
func (f *Follower) lastChange(a *activeFile) time.Time {
	if a.here {
		return a.quietSince()
	}
	return f.state.MissingSince(a.id)
}

// readLastLine reads the unterminated last line of a quiet file, and reports whether
// there was no error.
func (f *Follower) readLastLine(roots roots, name watcher.File) bool {
	err := f.readRest(roots, name)
	if err != nil {
		f.fail(name, err)
	}
	return err == nil
}

// readRest reads an unterminated last line if it is a complete object. The file is quiet,
// so the line will never be finished, or only by a newline.
func (f *Follower) readRest(roots roots, name watcher.File) error {
	a := f.activeAt(name)
	if a == nil || a.size <= a.offset {
		return nil
	}
	file, err := roots.openFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the next walk finds that out
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	if identity, err := tailer.Identify(file); err != nil || f.idOf(identity) != a.id {
		return err
	}
	b, err := f.decoder.reader.Unterminated(file, tailer.Cursor{Offset: a.offset, Scanned: a.searched})
	if err != nil || b == nil {
		return err
	}
	return f.batchReader(file, name, a).tail(tailer.Line{Bytes: b, Start: a.offset, End: a.searched})
}

// idOf returns the id of the file with an identity; 0 if there is none.
func (f *Follower) idOf(identity tailer.ID) ledger.FileID {
	id, _, ok := f.state.ByIdentity(identity)
	if !ok {
		return 0
	}
	return id
}
