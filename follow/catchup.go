package follow

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Changed returns the files to be read, in the order for CatchUp: oldest first, and
// sessions before sub-agents, so that a copied entry is counted in its original file.
// If ctx ends, files are missing.
func (f *Follower) Changed(ctx context.Context, tree []watcher.FoundFile) []watcher.FoundFile {
	return byAge(f.changed(ctx, tree))
}

// changed returns the files to be read, in the same order.
func (f *Follower) changed(ctx context.Context, tree []watcher.FoundFile) (changed []watcher.FoundFile) {
	for _, found := range tree {
		if ctx.Err() != nil {
			break
		}
		if !f.unchanged(found) {
			changed = append(changed, found)
		}
	}
	return changed
}

// byAge sorts files in the order for CatchUp.
func byAge(files []watcher.FoundFile) []watcher.FoundFile {
	var sessions, agents []watcher.FoundFile
	for _, f := range files {
		if transcript.KindOf(f.Rel).IsAgent() {
			agents = append(agents, f)
		} else {
			sessions = append(sessions, f)
		}
	}
	for _, some := range [][]watcher.FoundFile{sessions, agents} {
		slices.SortFunc(some, func(a, b watcher.FoundFile) int {
			return cmp.Or(a.Info.ModTime().Compare(b.Info.ModTime()), strings.Compare(a.Rel, b.Rel), a.Compare(b.File))
		})
	}
	return append(sessions, agents...)
}

// ReadAgain resets the known files of a walk, so that CatchUp reads them from the
// beginning. Lines and bytes are counted again, but usage is not. It returns the number
// of files. Each file is reset when it is identified: another file may have its inode
// by now.
func (f *Follower) ReadAgain(tree []watcher.FoundFile) (files int) {
	f.again = make(map[ledger.FileID]struct{})
	for _, found := range tree {
		identity, ok := identityOf(found)
		known, ok := f.known(found.File, identity, ok)
		if ok && known.fingerprint.Offset > 0 {
			f.again[known.id] = struct{}{}
		}
	}
	return len(f.again)
}

// offsets returns where reading continues, for each known file.
func (f *Follower) offsets() map[tailer.ID]int64 {
	all := f.files.offsets()
	for id := range f.again {
		known, _ := f.files.get(id)
		delete(all, known.identity)
	}
	return all
}

// isReadAgain reports whether a file is still to be read again.
func (f *Follower) isReadAgain(id ledger.FileID) bool {
	_, again := f.again[id]
	return again
}

// CatchUp reads files to their ends, in the given order, including the unterminated
// last lines of files that have not changed for the timeout. It calls done after each
// file.
func (f *Follower) CatchUp(ctx context.Context, files []watcher.FoundFile, timeout time.Duration, done func(watcher.FoundFile)) {
	roots := f.openRoots()
	defer roots.close()
	expected, i := f.expect(files), 0
	f.inOrder(ctx, roots, files, func(found watcher.FoundFile) {
		expected.read(i, func() {
			f.readOne(ctx, roots, found.File)
			if a := f.activeAt(found.File); a != nil && f.now().Sub(a.changed) >= timeout {
				f.readLastLine(roots, found.File)
			}
		})
		i++
		done(found)
	})
}

// ReadAtRest reads files that are no longer written, in the given order, including
// their unterminated last lines. It calls done after each file with the error of
// reading it.
func (f *Follower) ReadAtRest(ctx context.Context, files []watcher.FoundFile, done func(watcher.FoundFile, error)) {
	roots := f.openRoots()
	defer roots.close()
	f.atRest = true
	f.inOrder(ctx, roots, files, func(found watcher.FoundFile) {
		err := f.follow(ctx, roots, found.File)
		if err == nil {
			err = f.readUnterminated(roots, found.File)
		}
		done(found, err)
	})
}
