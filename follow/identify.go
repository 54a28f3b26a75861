package follow

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// unchanged reports whether a file need not be opened: it is at its path, with the
// size and modification time that it had when it was read to its end, even if that
// was before a restart. A file that waits for quiet is opened once by this process.
func (f *Follower) unchanged(found watcher.FoundFile) bool {
	sighting := f.sighting(found)
	known, ok := f.state.MarkSeen(&sighting)
	if _, failed := f.unreadable[found.File]; failed || !ok {
		return false
	}
	if a := f.active[known.ID]; a != nil && a.here {
		return a.searched >= a.size && a.size == found.Info.Size() && a.modified.Equal(found.Info.ModTime())
	}
	return known.LooksUnchanged(&sighting) && !f.state.HasPending(known.ID)
}

// activeAt returns the active file that was found at a name, or nil.
func (f *Follower) activeAt(name watcher.File) *activeFile {
	if known, ok := f.state.ByPath(f.digest(name)); ok {
		return f.active[known.ID]
	}
	return nil
}

// identify finds out which file has the name now, and from where it is to be read.
func (f *Follower) identify(file *os.File, info fs.FileInfo, name watcher.File) (*activeFile, error) {
	identity, err := tailer.Identify(file)
	if err != nil {
		return nil, fmt.Errorf("identify file: %w", err)
	}
	id, known, ok := f.state.ByIdentity(identity)
	path := f.digest(name)
	verdict := tailer.Unchanged
	if ok {
		if verdict, err = known.Fingerprint.Check(file, info.Size()); err != nil {
			return nil, fmt.Errorf("check what was read: %w", err)
		}
		if verdict != tailer.Unchanged && known.Path != path {
			// Another file, to which the file system gave the inode of a deleted one.
			id, known, ok = f.state.NextID(), state.KnownFile{}, false
		}
	}
	before, taken := f.state.ByPath(path)
	// The labels of a file may have changed, so the ledger gets every file once after a
	// start and after a reload.
	modified := info.ModTime().UnixNano()
	touched := known.Modified != modified && known.Fingerprint.Offset == info.Size()
	if !known.IsOpened() || known.Path != path || touched {
		f.state.Open(f.describe(id, name), path, identity, modified)
	}
	switch {
	case ok && verdict != tailer.Unchanged:
		f.state.Reset(id, resetReason(verdict))
		known.Fingerprint = tailer.Fingerprint{}
	case !ok && taken:
		f.state.Reset(id, ledger.Replaced)
	}
	if taken && before.ID != id {
		f.lose(before.ID) // until it is found at another path
	}
	return f.place(name, id, known.Fingerprint.Offset), nil
}

// place records that a file, read up to offset, has the name now.
func (f *Follower) place(name watcher.File, id ledger.FileID, offset int64) *activeFile {
	f.state.MarkOpened(id, name.Root, transcript.KindOf(name.Rel).IsAgent())
	a := f.active[id]
	if a == nil || !a.here || a.offset != offset {
		f.leave(id)
		a = &activeFile{id: id, here: true, size: offset, offset: offset, searched: offset}
	}
	a.name = name
	return a
}

// lose records that a file is missing.
func (f *Follower) lose(id ledger.FileID) {
	f.leave(id)
	f.state.MarkMissing(id)
}

// leave forgets where a file was found, but not that it waits for quiet.
func (f *Follower) leave(id ledger.FileID) {
	a := f.active[id]
	if a == nil {
		return
	}
	f.addBacklog(a.offset - a.size)
	*a = activeFile{id: id, waits: f.state.HasPending(id)}
	if !a.waits {
		delete(f.active, id)
	}
}

func resetReason(v tailer.Verdict) string {
	if v == tailer.Truncated {
		return ledger.Truncated
	}
	return ledger.Replaced
}

// sighting describes a file that a walk has found.
func (f *Follower) sighting(found watcher.FoundFile) state.Sighting {
	identity, ok := identityOf(found)
	return state.Sighting{
		Path: f.digest(found.File), Root: found.Root, Agent: transcript.KindOf(found.Rel).IsAgent(),
		Identity: identity, Identified: ok,
		Size: found.Info.Size(), Modified: found.Info.ModTime().UnixNano(),
	}
}

// identityOf returns the identity of a file that a walk has found, if it is known.
func identityOf(found watcher.FoundFile) (tailer.ID, bool) {
	device, inode, ok := found.Info.Identity()
	return tailer.ID{Device: device, Inode: inode}, ok
}

// digest identifies the path of a file in the state.
func (f *Follower) digest(name watcher.File) transcript.Key {
	return transcript.KeyOf("path", filepath.Join(f.sources[name.Root].path, name.Rel))
}

func (f *Follower) describe(id ledger.FileID, name watcher.File) ledger.File {
	return ledger.File{
		ID: id, Kind: transcript.KindOf(name.Rel), Name: transcript.NameKey(name.Rel),
		Source: f.sources[name.Root].labels,
	}
}
