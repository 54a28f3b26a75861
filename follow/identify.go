package follow

import (
	"fmt"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// unchanged reports whether a file need not be opened: it is known at this path, with
// the size and modification time that it had when it was read to its end, even if that
// was before a restart. A file that waits is opened once by each process.
func (f *Follower) unchanged(found watcher.FoundFile) bool {
	sighting := f.sighting(found)
	known, ok := f.state.MarkSeen(&sighting)
	if _, failed := f.unreadable[found.File]; failed || !ok || f.isReadAgain(known.ID) {
		return false
	}
	if a := f.active[known.ID]; a != nil && a.present {
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

// identify determines which file has the name now, and from which offset to read it.
func (f *Follower) identify(file *openedFile, roots roots, name watcher.File) (*activeFile, error) {
	identity, err := tailer.IdentifyStat(file.File, file.info)
	if err != nil {
		return nil, fmt.Errorf("identify file: %w", err)
	}
	path := f.digest(name)
	known, verdict, ok, err := f.recognize(file, identity, path)
	if err != nil {
		return nil, fmt.Errorf("check fingerprint: %w", err)
	}
	id := known.ID
	if !ok {
		id = f.state.NextID()
	}
	before, taken := f.state.ByPath(path)
	// Open every file in the ledger once after a start and after a reload, since its
	// labels may have changed.
	modified := file.info.ModTime().UnixNano()
	touched := known.Modified != modified && known.Fingerprint.Offset == file.info.Size()
	agentType := f.agentType(roots, name, &known)
	if !known.IsOpened() || known.Path != path || touched || agentType != "" {
		f.state.Open(f.describe(id, name, agentType), path, identity, modified)
	}
	switch {
	case ok && verdict != tailer.Unchanged:
		f.state.Reset(id, resetReason(verdict))
		known.Fingerprint = tailer.Fingerprint{}
	case !ok && taken:
		f.state.Reset(id, ledger.Replaced)
	case f.isReadAgain(id):
		f.state.Reset(id, ledger.Requested)
		known.Fingerprint = tailer.Fingerprint{}
	}
	delete(f.again, id)
	if taken && before.ID != id {
		f.markMissing(before.ID) // unless a later file turns out to be it
	}
	a := f.locate(name, id, known.Fingerprint)
	if agentType != "" {
		f.state.MarkDescribed(id)
	}
	return a, nil
}

// recognize returns the known file behind an open one, and whether it has changed. It
// returns false for a file that is not known, such as one that got the inode of a
// deleted file.
func (f *Follower) recognize(file *openedFile, identity tailer.ID, path transcript.Key) (state.KnownFile, tailer.Verdict, bool, error) {
	if known, ok := f.state.ByIdentity(identity); ok {
		verdict, err := known.Fingerprint.Check(file, file.info.Size())
		if err != nil || verdict == tailer.Unchanged || known.Path == path {
			return known, verdict, true, err
		}
	}
	known, ok := f.state.Renumbered(path, identity)
	if !ok {
		return state.KnownFile{}, tailer.Unchanged, false, nil
	}
	verdict, err := known.Fingerprint.Check(file, file.info.Size())
	return known, verdict, true, err
}

// locate records that a file with a verified fingerprint has the name now.
func (f *Follower) locate(name watcher.File, id ledger.FileID, read tailer.Fingerprint) *activeFile {
	f.state.MarkOpened(id, name.Root, transcript.KindOf(name.Rel).IsAgent())
	a := f.active[id]
	if a == nil || !a.present || a.offset != read.Offset {
		f.forgetLocation(id)
		a = &activeFile{id: id, present: true, size: read.Offset, offset: read.Offset, searched: read.Offset}
	}
	a.name, a.fingerprint = name, read
	return a
}

// markMissing records that a file is missing.
func (f *Follower) markMissing(id ledger.FileID) {
	f.forgetLocation(id)
	f.state.MarkMissing(id)
	if a := f.active[id]; a != nil {
		a.changed = f.now()
	}
}

// forgetLocation forgets where an active file was found, but not that it waits.
func (f *Follower) forgetLocation(id ledger.FileID) {
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

// sighting describes a file found by a walk.
func (f *Follower) sighting(found watcher.FoundFile) state.Sighting {
	identity, ok := identityOf(found)
	return state.Sighting{
		Path: f.digest(found.File), Root: found.Root, Agent: transcript.KindOf(found.Rel).IsAgent(),
		Identity: identity, Identified: ok,
		Size: found.Info.Size(), Modified: found.Info.ModTime().UnixNano(),
	}
}

// identityOf returns the identity of a file found by a walk, if known.
func identityOf(found watcher.FoundFile) (tailer.ID, bool) {
	device, inode, ok := found.Info.Identity()
	return tailer.ID{Device: device, Inode: inode}, ok
}

// digest returns the digest of a path, which identifies it in the state.
func (f *Follower) digest(name watcher.File) transcript.Key {
	return transcript.KeyOf("path", filepath.Join(f.sources[name.Root].path, name.Rel))
}

func (f *Follower) describe(id ledger.FileID, name watcher.File, agentType string) ledger.File {
	file := ledger.File{
		ID: id, Kind: transcript.KindOf(name.Rel), Name: transcript.NameKey(name.Rel),
		Source: f.sources[name.Root].labels,
	}
	if agentType != "" {
		file.AgentType, file.Opened = agentType, f.now().UnixMilli()
	}
	return file
}
