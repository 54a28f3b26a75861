package follow

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// unchanged reports whether a file need not be opened: it is known at this path, with
// its size and modification time when it was read to its end, even before a restart. A
// file that waits is opened once by each process.
func (f *Follower) unchanged(found watcher.FoundFile) bool {
	file := f.found(found)
	known, ok := f.files.sawUnopened(&file)
	if _, failed := f.unreadable[found.File]; failed || !ok || f.isReadAgain(known.id) {
		return false
	}
	if a := f.active[known.id]; a != nil && a.present {
		return a.searched >= a.size && a.size == found.Info.Size() && a.modified.Equal(found.Info.ModTime())
	}
	return known.looksUnchanged(&file) && !f.state.Ledger().HasPending(known.id)
}

// activeAt returns the active file that was found at a name, or nil.
func (f *Follower) activeAt(name watcher.File) *activeFile {
	if known, ok := f.files.presentAt(f.digest(name)); ok {
		return f.active[known.id]
	}
	return nil
}

// identify determines which file has the name now, and the offset where reading
// continues.
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
	before, taken := f.files.presentAt(path)
	reset := ""
	switch {
	case verdict == tailer.Truncated:
		reset = ledger.Truncated
	case verdict != tailer.Unchanged, !ok && taken:
		reset = ledger.Replaced
	case ok && f.isReadAgain(known.id):
		reset = ledger.Requested
	}
	delete(f.again, known.id)
	// Other content is another file: its keys are newer than the keys of the file before.
	if verdict != tailer.Unchanged {
		known = knownFile{}
	}
	id := known.id
	if id == 0 {
		id = f.files.next()
	}
	// Open every file in the ledger once after a start and after a reload, since its
	// labels may have changed.
	modified := file.info.ModTime().UnixNano()
	touched := known.modified != modified && known.fingerprint.Offset == file.info.Size()
	agentType := f.agentType(roots, name, &known)
	open := !known.isOpened() || known.path != path || touched || agentType != ""
	if reset != "" || known.path != path {
		f.files.unmark(id, placed)
	}
	if open || reset != "" {
		f.state.Change(func(l *ledger.Ledger, now int64) {
			if open {
				f.files.open(id, path, identity, modified)
				l.Open(f.describe(id, name, agentType))
			}
			if reset != "" {
				known.fingerprint = tailer.Fingerprint{}
				f.files.setFingerprint(id, known.fingerprint)
				l.Reset(id, reset, now)
			}
		})
	}
	if taken && before.id != id {
		f.markMissing(before.id) // unless the file turns up at another path
	}
	a := f.locate(name, id, known.fingerprint)
	if agentType != "" {
		f.files.mark(id, typed)
	}
	return a, nil
}

// recognize returns the known file behind an open file, and whether it has changed. It
// returns false for an unknown file, for example with the inode of a deleted file.
func (f *Follower) recognize(file *openedFile, identity tailer.ID, path transcript.Key) (knownFile, tailer.Verdict, bool, error) {
	if known, ok := f.files.identified(identity); ok {
		verdict, err := known.fingerprint.Check(file, file.info.Size())
		if err != nil || verdict == tailer.Unchanged || known.path == path {
			return known, verdict, true, err
		}
	}
	known, ok := f.files.renumbered(path, identity)
	if !ok {
		return knownFile{}, tailer.Unchanged, false, nil
	}
	verdict, err := known.fingerprint.Check(file, file.info.Size())
	return known, verdict, true, err
}

// locate records that a file with a verified fingerprint has the name now.
func (f *Follower) locate(name watcher.File, id ledger.FileID, read tailer.Fingerprint) *activeFile {
	f.files.mark(id, opened)
	f.files.markSeen(id, name.Root, f.place(name))
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
	f.state.Change(func(l *ledger.Ledger, now int64) {
		f.files.setMissing(id, now)
		l.MarkMissing(id)
	})
	if a := f.active[id]; a != nil {
		a.changed = f.now()
	}
}

// forgetLocation forgets the place of an active file, but not that it waits.
func (f *Follower) forgetLocation(id ledger.FileID) {
	a := f.active[id]
	if a == nil {
		return
	}
	f.addBacklog(a.offset + a.torn - a.size)
	*a = activeFile{id: id, waits: f.state.Ledger().HasPending(id)}
	if !a.waits {
		delete(f.active, id)
	}
}

// found describes a file found by a walk.
func (f *Follower) found(found watcher.FoundFile) foundFile {
	identity, ok := identityOf(found)
	return foundFile{
		path: f.digest(found.File), root: found.Root, place: f.place(found.File),
		identity: identity, identified: ok,
		size: found.Info.Size(), modified: found.Info.ModTime().UnixNano(),
	}
}

// place returns where a directory of Claude Code has a file. There may be several such
// directories: sources, and directories named projects below a source. Sources with
// other labels are of somebody else. An archive has the place of the plain file.
func (f *Follower) place(name watcher.File) place {
	at := place{agent: transcript.KindOf(name.Rel).IsAgent()}
	if !at.agent {
		return at
	}
	labels, rel := string(f.sources[name.Root].labels), "/"+transcript.PlainName(filepath.ToSlash(name.Rel))
	if i := strings.LastIndex(rel, "/projects/"); i >= 0 {
		at.key = transcript.KeyOf("place", labels, rel[i+len("/projects"):])
	} else if len(f.sources) > 1 || f.atRest {
		at.key = transcript.KeyOf("place", labels, rel)
	}
	return at
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
		Source: f.sources[name.Root].labels, Replica: f.files.isReplica(id, f.place(name)),
	}
	if agentType != "" {
		file.AgentType, file.Opened = agentType, f.now().UnixMilli()
	}
	return file
}
