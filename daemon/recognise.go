package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// unchanged recognises a file by its looks alone. It is not opened if it is
// where it was, and looks as it did when it was read to its end: even after a
// restart. What waits for something is opened in any case, unless it was by
// this process.
func (f *follower) unchanged(found watcher.Found) bool {
	known, ok := f.shared.meet(f.digest(found.File), found)
	if _, failing := f.failing[found.File]; failing || !ok {
		return false
	}
	if at := f.awake[known.id]; at != nil && at.here {
		return at.searched >= at.size && at.size == found.Info.Size() && at.modified.Equal(found.Info.ModTime())
	}
	return known.looks(found) && !f.shared.restless(known.id)
}

// at returns the file that was found under a name and is not at rest, or nil.
func (f *follower) at(name watcher.File) *foundFile {
	if known, ok := f.shared.at(f.digest(name)); ok {
		return f.awake[known.id]
	}
	return nil
}

// recognise finds out which file it is that has the name now, and from where
// it is to be read.
func (f *follower) recognise(file *os.File, info fs.FileInfo, name watcher.File) (*foundFile, error) {
	identity, err := tailer.Identify(file)
	if err != nil {
		return nil, fmt.Errorf("identify file: %w", err)
	}
	id, known, ok := f.shared.find(identity)
	path := f.digest(name)
	verdict := tailer.Unchanged
	if ok {
		if verdict, err = known.mark.Check(file, info.Size()); err != nil {
			return nil, fmt.Errorf("check what was read: %w", err)
		}
		if verdict != tailer.Unchanged && known.path != path {
			// Another file that was given the numbers of one that is gone.
			id, known, ok = f.shared.next(), knownFile{}, false
		}
	}
	before, taken := f.shared.at(path)
	// What a file's lines are labelled with may be other than it was, so the
	// ledger is told of every file once after a start and after a reload.
	modified := info.ModTime().UnixNano()
	touched := known.modified != modified && known.mark.Offset == info.Size()
	if !known.is(opened) || known.path != path || touched {
		f.shared.do(&openStep{file: f.describe(id, name), path: path, identity: identity, modified: modified})
	}
	switch {
	case ok && verdict != tailer.Unchanged:
		f.shared.do(&resetStep{id: id, reason: resetReason(verdict), now: f.now().UnixMilli()})
		known.mark = tailer.Mark{}
	case !ok && taken:
		f.shared.do(&resetStep{id: id, reason: ledger.Replaced, now: f.now().UnixMilli()})
	}
	if taken && before.id != id {
		f.lose(before.id) // until it is found elsewhere
	}
	return f.place(name, id, known.mark.Offset), nil
}

// place notes that a file, read up to offset, has the name now.
func (f *follower) place(name watcher.File, id ledger.FileID, offset int64) *foundFile {
	f.shared.place(id, name)
	at := f.awake[id]
	if at == nil || !at.here || at.offset != offset {
		f.leave(id)
		at = &foundFile{id: id, here: true, size: offset, offset: offset, searched: offset}
	}
	at.name = name
	return at
}

// lose notes that a file is not found any more.
func (f *follower) lose(id ledger.FileID) {
	f.leave(id)
	f.shared.do(&goneStep{id: id, now: f.now().UnixMilli()})
}

// leave forgets where a file was found, but not that something in it waits.
func (f *follower) leave(id ledger.FileID) {
	at := f.awake[id]
	if at == nil {
		return
	}
	f.unread(at.offset - at.size)
	*at = foundFile{id: id, waits: f.shared.restless(id)}
	if !at.waits {
		delete(f.awake, id)
	}
}

func resetReason(v tailer.Verdict) string {
	if v == tailer.Truncated {
		return ledger.Truncated
	}
	return ledger.Replaced
}

func (f *follower) digest(name watcher.File) transcript.Key {
	return transcript.KeyOf("path", filepath.Join(f.sources[name.Root].path, name.Rel))
}

func (f *follower) describe(id ledger.FileID, name watcher.File) ledger.File {
	return ledger.File{
		ID: id, Kind: transcript.KindOf(name.Rel), Name: transcript.NameKey(name.Rel),
		Source: f.sources[name.Root].labels,
	}
}
