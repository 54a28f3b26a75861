package follow

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// FinalizeQuiet finalizes active files that have not changed for the timeout.
func (f *Follower) FinalizeQuiet(ctx context.Context, timeout time.Duration) {
	f.quietSince = earlier(f.quietSince, f.now()) // in case the clock was set back
	if len(f.active) == 0 || f.now().Sub(f.quietSince) < timeout {
		return
	}
	roots := f.openRoots()
	defer roots.close()
	f.quietSince = f.now()
	for _, id := range slices.Sorted(maps.Keys(f.active)) {
		if ctx.Err() != nil {
			return
		}
		f.finalizeIfQuiet(ctx, roots, id, timeout)
	}
	f.active = maps.Collect(maps.All(f.active)) // shrink it after a catch-up
}

func (f *Follower) finalizeIfQuiet(ctx context.Context, roots roots, id ledger.FileID, timeout time.Duration) {
	a := f.active[id]
	if !f.waits(a) {
		delete(f.active, id) // its message was continued in another file
		return
	}
	if a.waits && a.present && f.now().Sub(a.changed) >= timeout {
		// A walk may be due: read new lines first.
		f.readOne(ctx, roots, a.name)
		a = f.active[id]
	}
	if a == nil || !a.waits {
		return
	}
	if a.changed.After(f.now()) {
		a.changed = f.now() // the clock was set back
	}
	since := f.quietTime(a)
	if f.now().Sub(since) < timeout || f.mayHaveMoved(a) || a.present && !f.readLastLine(roots, a.name) {
		f.quietSince = earlier(f.quietSince, since)
		return
	}
	a.waits = false
	switch {
	case a.size == a.offset:
		delete(f.active, id)
	case a.present && a.searched >= a.size:
		f.setTorn(a, a.size-a.offset)
	}
	f.finalize(id)
}

// mayHaveMoved reports whether a file may still turn out to be a known file that was
// moved: only a walk that started after the move finds the old path missing.
func (f *Follower) mayHaveMoved(a *activeFile) bool {
	return a.present && f.walks-a.walks < 2 && f.state.Ledger().MayHaveMoved(a.id)
}

// quietTime returns the time since which a file has not changed, or is missing: a
// missing file may reappear at another path. The time in the state has no monotonic
// reading, but the time of a file that this process found missing has.
func (f *Follower) quietTime(a *activeFile) time.Time {
	missing := f.files.missingSince(a.id)
	if a.present || missing.Before(a.changed) {
		return a.changed
	}
	return missing
}

// readLastLine reads the unterminated last line of a quiet file and reports success.
func (f *Follower) readLastLine(roots roots, name watcher.File) bool {
	err := f.readUnterminated(roots, name)
	if err != nil {
		f.fail(name, err)
	}
	return err == nil
}

// readUnterminated reads an unterminated last line if it is a complete object. The file
// is quiet, so at most a newline may follow.
func (f *Follower) readUnterminated(roots roots, name watcher.File) error {
	a := f.activeAt(name)
	if a == nil || a.size <= a.offset {
		return nil
	}
	file, err := roots.openFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the next walk marks it as missing
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	identity, err := tailer.IdentifyStat(file.File, file.info)
	if known, _ := f.files.identified(identity); err != nil || known.id != a.id {
		return err
	}
	b, err := f.decoder.reader.Unterminated(file.File, tailer.Cursor{Offset: a.offset, Scanned: a.searched})
	if err != nil || b == nil {
		return err
	}
	return f.batchReader(file.File, name, a).tail(tailer.Line{Bytes: b, Start: a.offset, End: a.searched})
}

// finalize counts the pending messages of a file that is no longer written.
func (f *Follower) finalize(id ledger.FileID) {
	f.state.Change(func(l *ledger.Ledger, now int64) { l.FinalizeFile(id, now) })
}

// FinalizeAll counts all pending messages, at the end of reading, and exposes them.
func (f *Follower) FinalizeAll() {
	f.state.Change(func(l *ledger.Ledger, _ int64) { l.Settle() })
	for _, id := range f.state.Ledger().AllPending() {
		f.finalize(id)
	}
	f.state.Change(func(l *ledger.Ledger, now int64) { l.EndSessions(now) })
	f.state.Release(f.state.Pending())
}

// Forget drops the files that have been missing since before the given time, and the
// dedup keys that only these files could repeat. It returns the number of files.
func (f *Follower) Forget(before time.Time) int {
	ids := f.files.missingBefore(before.UnixMilli())
	f.state.Change(func(l *ledger.Ledger, now int64) {
		l.Forget(ids, now)
		f.files.forget(ids)
	})
	return len(ids)
}

// LimitKeys forgets the oldest keys of each source that has too many.
func (f *Follower) LimitKeys() {
	if !f.state.Ledger().HasManyKeys() {
		return
	}
	var all []ledger.Trimmed
	f.state.Change(func(l *ledger.Ledger, now int64) {
		all = l.TrimKeys(now)
		for _, t := range all {
			f.files.forget(t.Files)
		}
	})
	for _, t := range all {
		f.forgotten(t.Keys)
		f.log.Warn("Forgot the oldest dedup keys of a source that has too many", "source", textOf(t.Source), "keys", t.Keys, "hint", "limits.dedup_keys")
	}
}

// textOf returns the labels of a source as text.
func textOf(source counters.SourceLabels) string {
	labels := source.Labels()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, name+"="+labels[name])
	}
	return strings.Join(all, ",")
}
