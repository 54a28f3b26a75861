package follow

import (
	"context"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Update reads the files reported by the watcher.
func (f *Follower) Update(ctx context.Context, u watcher.Update) {
	roots := f.newRoots()
	defer roots.close()
	if u.Tree != nil {
		f.compare(ctx, roots, u)
	}
	f.readNamed(ctx, roots, u.Dirty)
}

// readNamed reads the new lines of the named files.
func (f *Follower) readNamed(ctx context.Context, roots roots, names []watcher.File) {
	expected := f.expectNamed(roots, names)
	for i, name := range names {
		if ctx.Err() != nil {
			return
		}
		expected.read(i, func() { f.readOne(ctx, roots, name) })
	}
}

// readOne reads the new lines of one file.
func (f *Follower) readOne(ctx context.Context, roots roots, name watcher.File) {
	f.alive()
	before := f.readBytes
	err := f.follow(ctx, roots, name)
	switch {
	case err == nil:
		delete(f.unreadable, name)
	case ctx.Err() == nil:
		f.fail(name, err)
	}
	if f.readBytes != before {
		f.onRead(f.modified)
	}
}

// fail records that a file cannot be read, and logs it once. Only the debug log has its
// path.
func (f *Follower) fail(name watcher.File, err error) {
	if _, again := f.unreadable[name]; !again {
		f.log.Warn("Failed to read a file, retrying with every scan", "root", f.sources[name.Root].path, "err", watcher.WithoutPath(err), "hint", "paths are logged at debug level")
		f.log.Debug("Unreadable file", "path", filepath.Join(f.sources[name.Root].path, name.Rel))
	}
	f.unreadable[name] = struct{}{}
}

// compare compares the result of a walk with the known files. Unchanged files come
// first, so that hard links to them are recognized as duplicates.
func (f *Follower) compare(ctx context.Context, roots roots, u watcher.Update) {
	f.files.beginWalk()
	changed := f.changed(ctx, u.Tree)
	expected := f.expect(changed)
	for i, found := range changed {
		if ctx.Err() != nil {
			return
		}
		expected.read(i, func() {
			if file := f.found(found); !f.files.isDuplicate(&file) {
				f.readOne(ctx, roots, found.File)
			}
		})
	}
	if ctx.Err() != nil {
		return
	}
	if f.findMissing(u) { // else the old path of a moved file may not be known as missing
		f.walks++
	}
}

// findMissing marks the files that a walk has not found as missing, and reports whether
// it could decide that of all files.
func (f *Follower) findMissing(u watcher.Update) (complete bool) {
	for name := range f.unreadable {
		if u.Removed(name) {
			delete(f.unreadable, name)
		}
	}
	for _, found := range u.Tree {
		if _, failed := f.unreadable[found.File]; failed {
			file := f.found(found)
			f.files.sawUnreadable(&file)
		}
	}
	changed := make([]transcript.Key, 0, len(u.Dirty))
	for _, name := range u.Dirty {
		changed = append(changed, f.digest(name))
	}
	missing, complete := f.files.endWalk(changed, f.hiddenBy(u.Unreadable))
	for _, id := range missing {
		f.markMissing(id)
	}
	return complete
}

// hiddenBy returns whether a file that a walk has not found may be below an unreadable
// directory. A file not found since the start may be below any root of its source. The
// labels of the sources may have changed since it was read.
func (f *Follower) hiddenBy(unreadable []watcher.File) func(ledger.FileID, sighting) bool {
	roots, readable := make(map[int]bool), make(map[counters.SourceLabels]bool)
	for _, dir := range unreadable {
		roots[dir.Root] = true
	}
	for _, s := range f.sources {
		readable[s.labels] = true
	}
	for root := range roots {
		delete(readable, f.sources[root].labels)
	}
	return func(id ledger.FileID, s sighting) bool {
		if s.is(present) || len(roots) == 0 {
			return roots[int(s.root)]
		}
		return !readable[f.state.Ledger().SourceOf(id)]
	}
}
