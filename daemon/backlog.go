package daemon

import (
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// unread notes that so many bytes on disk more are not read, or fewer.
func (f *follower) unread(bytes int64) {
	if bytes != 0 {
		f.backlog += bytes
		f.tellBacklog(f.backlog)
	}
}

// An expectation is the number of unread bytes that each of some files seems to have.
// They are in the backlog from the start, so that it shows what is to be done while one
// of the files takes long.
type expectation struct {
	*follower
	each []int64
}

// expect adds files to the backlog that are about to be read.
func (f *follower) expect(files []watcher.Found) *expectation {
	e := &expectation{f, make([]int64, len(files))}
	for i, found := range files {
		identity, ok := identityOf(found)
		e.each[i] = f.unreadOf(found.File, identity, ok, found.Info.Size())
		f.unread(e.each[i])
	}
	return e
}

// expectNamed is expect for files of which only the names are known. For a single one
// it is not worth a system call: its turn comes at once.
func (f *follower) expectNamed(roots roots, names []watcher.File) *expectation {
	e := &expectation{f, make([]int64, len(names))}
	if len(names) < 2 {
		return e
	}
	for i, name := range names {
		e.each[i] = f.unreadOf(name, tailer.ID{}, false, roots.size(name))
		f.unread(e.each[i])
	}
	return e
}

// read calls read for the file with a number. What was expected of it is in the backlog
// until it is known better, see follower.reached.
func (e *expectation) read(i int, read func()) {
	e.expected = e.each[i]
	read()
	e.unread(-e.expected)
	e.expected = 0
}

// reached corrects the backlog by what a file turns out to have, of which less was
// known by so many bytes.
func (f *follower) reached(more int64) {
	f.unread(more - f.expected)
	f.expected = 0
}

// unreadOf returns how many bytes of a file seem to be unread and not in the backlog.
func (f *follower) unreadOf(name watcher.File, identity tailer.ID, identified bool, size int64) int64 {
	known, ok := f.shared.readBefore(f.digest(name), identity, identified)
	before := known.mark.Offset
	if at := f.awake[known.id]; ok && at != nil && at.here {
		before = at.size
	}
	if size < before { // it was cut, and is read again
		return size
	}
	return size - before
}

// readBefore returns the file that has an identity, or else that was found at a place.
func (s *shared) readBefore(path transcript.Key, identity tailer.ID, identified bool) (knownFile, bool) {
	if identified {
		_, known, ok := s.find(identity)
		return known, ok
	}
	return s.at(path)
}
