package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A follower reads files into a state. It knows under which names the files
// are found now; that is never saved.
type follower struct {
	scribe
	shared  *shared
	scouts  *scouts // while many files are read in their order, else nil
	sources []source
	labels  Labeller
	now     func() time.Time
	settle  bool // somebody looks at the counters

	cwd, project string // the last directory, and what its project is called

	awake   map[ledger.FileID]*foundFile // files that are not at rest
	failing map[watcher.File]struct{}    // files that could not be read when it was tried last
	calm    time.Time                    // nothing that waits has been quiet for longer than since then
	backlog int64                        // bytes on disk that were not read
	taken   int64                        // bytes that were read since the start
	written time.Time                    // when the file that was read last had been changed
}

// A source is a tree of transcripts and the labels that its lines get.
type source struct {
	path   string
	labels ledger.Source
}

// A foundFile is a file that is being read or that is not at rest: something
// in it waits for quiet, or its last line has no end. All others need no more
// than what is known of them.
type foundFile struct {
	id       ledger.FileID
	name     watcher.File
	here     bool // it is found under its name
	waits    bool // for quiet
	size     int64
	modified time.Time
	seen     time.Time // when it was looked at last and had changed
	searched int64     // how far behind the offset there is no newline
	offset   int64
}

// quietSince is when the file changed last. A time of modification in the
// future is no reason to wait for it.
func (f *foundFile) quietSince() time.Time {
	if f.modified.After(f.seen) {
		return f.seen
	}
	return f.modified
}

// reach notes how far the file was read. If not everything before that could be
// counted, it is searched again.
func (f *foundFile) reach(c tailer.Cursor) {
	if f.searched = f.offset; c.Offset == f.offset {
		f.searched = c.Searched
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func newFollower(s *shared, maxLine int, now func() time.Time) *follower {
	return &follower{
		shared: s, scribe: newScribe(tailer.NewReader(maxLine), new(page)), now: now,
		awake:   make(map[ledger.FileID]*foundFile),
		failing: make(map[watcher.File]struct{}),
	}
}

// follow reads what is new in a file. A file that is not there is no error:
// the next walk tells what became of it.
func (f *follower) follow(ctx context.Context, roots roots, name watcher.File) error {
	root := roots[name.Root]
	if root == nil {
		return nil
	}
	file, ahead, err := f.open(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, tailer.ErrNotRegular):
		return nil
	case errors.Is(err, tailer.ErrExchanged):
		err = nil // whoever has the name now is found by the next event or walk
	case err == nil:
		err = errors.Join(f.read(ctx, file, name, ahead), file.Close())
	}
	if err != nil {
		f.failing[name] = struct{}{}
	} else {
		delete(f.failing, name)
	}
	return err
}

// open opens a file, or takes it as a scout has opened it.
func (f *follower) open(root *os.Root, name watcher.File) (*os.File, *report, error) {
	if r := f.scouts.report(name); r != nil && r.file != nil {
		return r.file, r, nil
	}
	file, err := tailer.Open(root, name.Rel)
	return file, nil, err
}

func (f *follower) read(ctx context.Context, file *os.File, name watcher.File, ahead *report) error {
	defer ahead.discard()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at file: %w", err)
	}
	at, err := f.recognise(file, info, name)
	if err != nil {
		return err
	}
	before := at.offset
	f.backlog += info.Size() - at.size
	if !at.modified.Equal(info.ModTime()) || at.size != info.Size() {
		at.seen = f.now()
	}
	at.size, at.modified = info.Size(), info.ModTime()
	f.accept(ahead, at)
	// What is left is read here: everything, unless a scout was there.
	cursor, err := f.batcher(file, name, at).read(ctx, tailer.Cursor{Offset: at.offset, Searched: at.searched}, at.size)
	at.reach(cursor)
	if at.offset > before {
		f.taken += at.offset - before
		f.written = at.modified
	}
	f.keep(at)
	return err
}

// keep remembers a file for as long as it is not at rest.
func (f *follower) keep(at *foundFile) {
	if at.waits = f.waits(at); !at.waits {
		delete(f.awake, at.id)
		return
	}
	f.awake[at.id] = at
	f.calm = earlier(f.calm, at.quietSince())
}

// waits reports whether something in a file waits for quiet.
func (f *follower) waits(at *foundFile) bool {
	return at.size > at.offset || f.shared.restless(at.id)
}

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
		return at.size == found.Info.Size() && at.modified.Equal(found.Info.ModTime())
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
		f.shared.do(&openStep{file: f.describe(id, name, path), identity: identity, modified: modified})
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
	f.backlog -= at.size - at.offset
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

func (f *follower) describe(id ledger.FileID, name watcher.File, path transcript.Key) ledger.File {
	return ledger.File{ID: id, Kind: transcript.KindOf(name.Rel), Path: path, Source: f.sources[name.Root].labels}
}

// rest takes an unterminated last line that is a complete object, once its
// file is quiet: nobody will finish it, or finishing it adds only the newline.
func (f *follower) rest(roots roots, name watcher.File) error {
	at, root := f.at(name), roots[name.Root]
	if at == nil || root == nil || at.size <= at.offset {
		return nil
	}
	file, err := tailer.Open(root, name.Rel)
	if err != nil {
		return nil // it is not there any more, and the next walk says so
	}
	defer file.Close() //nolint:errcheck // only read
	if identity, err := tailer.Identify(file); err != nil || f.foundAs(identity) != at.id {
		return err
	}
	b, err := f.reader.Rest(file, tailer.Cursor{Offset: at.offset, Searched: at.searched})
	if err != nil || b == nil {
		return err
	}
	return f.batcher(file, name, at).tail(tailer.Line{Bytes: b, Start: at.offset, End: at.searched})
}

func (f *follower) foundAs(identity tailer.ID) ledger.FileID {
	id, _, ok := f.shared.find(identity)
	if !ok {
		return 0
	}
	return id
}
