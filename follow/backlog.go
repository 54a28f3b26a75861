package follow

import (
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// addBacklog adds to the number of bytes on disk that were not read.
func (f *Follower) addBacklog(bytes int64) {
	if bytes != 0 {
		f.backlog += bytes
		f.onBacklog(f.backlog)
	}
}

// An expectation is the number of bytes that each of some files seems to have unread.
// They are in the backlog from the start, so it shows the remaining work while reading
// one of the files takes long.
type expectation struct {
	follower *Follower
	each     []int64
}

// expect adds files that are about to be read to the backlog.
func (f *Follower) expect(files []watcher.FoundFile) *expectation {
	e := &expectation{f, make([]int64, len(files))}
	for i, found := range files {
		identity, ok := identityOf(found)
		e.each[i] = f.unreadOf(found.File, identity, ok, found.Info.Size())
		f.addBacklog(e.each[i])
	}
	return e
}

// expectNamed is expect for files of which only the names are known. A single one is not
// worth a system call: it is read at once.
func (f *Follower) expectNamed(roots roots, names []watcher.File) *expectation {
	e := &expectation{f, make([]int64, len(names))}
	if len(names) < 2 {
		return e
	}
	for i, name := range names {
		e.each[i] = f.unreadOf(name, tailer.ID{}, false, roots.size(name))
		f.addBacklog(e.each[i])
	}
	return e
}

// read calls read for the file with an index. Its expected bytes are in the backlog until
// Follower.reached replaces them.
func (e *expectation) read(i int, read func()) {
	f := e.follower
	f.expected = e.each[i]
	read()
	f.addBacklog(-f.expected)
	f.expected = 0
}

// reached replaces the expected bytes of a file by the number of bytes that are new.
func (f *Follower) reached(more int64) {
	f.addBacklog(more - f.expected)
	f.expected = 0
}

// unreadOf returns how many bytes of a file seem to be unread and not in the backlog.
func (f *Follower) unreadOf(name watcher.File, identity tailer.ID, identified bool, size int64) int64 {
	known, ok := f.known(name, identity, identified)
	before := known.Fingerprint.Offset
	if a := f.active[known.ID]; ok && a != nil && a.here {
		before = a.size
	}
	if size < before { // it was truncated, and is read again
		return size
	}
	return size - before
}

// known returns the file that has an identity or, if that is not known, a name.
func (f *Follower) known(name watcher.File, identity tailer.ID, identified bool) (state.KnownFile, bool) {
	if identified {
		_, known, ok := f.state.ByIdentity(identity)
		return known, ok
	}
	return f.state.ByPath(f.digest(name))
}
