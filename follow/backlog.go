package follow

import (
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// addBacklog changes the number of unread bytes on disk.
func (f *Follower) addBacklog(bytes int64) {
	if bytes != 0 {
		f.backlog += bytes
		f.onBacklog(f.backlog)
	}
}

// setTorn sets the number of bytes at the end of a file that are not in the backlog: an
// incomplete line of a file that is no longer written, or a file without lines.
func (f *Follower) setTorn(a *activeFile, bytes int64) {
	f.addBacklog(a.torn - bytes)
	a.torn = bytes
}

// An expectation estimates the unread bytes of some files. They count as backlog from
// the start, so the backlog shows the remaining work while one of the files is being
// read.
type expectation struct {
	follower *Follower
	each     []int64
}

// expect adds the unread bytes of files to the backlog.
func (f *Follower) expect(files []watcher.FoundFile) *expectation {
	e := &expectation{f, make([]int64, len(files))}
	for i, found := range files {
		e.each[i] = f.unreadOfFound(found)
		f.addBacklog(e.each[i])
	}
	return e
}

// Unread estimates the number of unread bytes of files that a walk has found.
func (f *Follower) Unread(files []watcher.FoundFile) (bytes int64) {
	for _, found := range files {
		bytes += f.unreadOfFound(found)
	}
	return bytes
}

func (f *Follower) unreadOfFound(found watcher.FoundFile) int64 {
	identity, ok := identityOf(found)
	return f.unreadOf(found.File, identity, ok, found.Info.Size())
}

// expectNamed is expect for names. It skips the system call for a single file, which is
// read immediately.
func (f *Follower) expectNamed(roots roots, names []watcher.File) *expectation {
	e := &expectation{f, make([]int64, len(names))}
	if len(names) < 2 {
		return e
	}
	for i, name := range names {
		e.each[i] = f.unreadOf(name, tailer.ID{}, false, f.sizeOf(roots, name))
		f.addBacklog(e.each[i])
	}
	return e
}

// read calls read for the file with index i. Its expected bytes stay in the backlog
// until Follower.replaceExpected replaces them.
func (e *expectation) read(i int, read func()) {
	f := e.follower
	f.expected = e.each[i]
	read()
	f.addBacklog(-f.expected)
	f.expected = 0
}

// replaceExpected replaces the expected bytes of a file with its actual number of new
// bytes.
func (f *Follower) replaceExpected(more int64) {
	f.addBacklog(more - f.expected)
	f.expected = 0
}

// unreadOf estimates the unread bytes of a file that are not in the backlog yet.
func (f *Follower) unreadOf(name watcher.File, identity tailer.ID, identified bool, size int64) int64 {
	known, ok := f.known(name, identity, identified)
	before := known.fingerprint.Offset
	if ok && f.isReadAgain(known.id) {
		before = 0
	}
	if a := f.active[known.id]; ok && a != nil && a.present {
		before = a.size
	}
	if size < before { // truncated, so it is read again
		return size
	}
	return size - before
}

// known returns the file with an identity or, if identified is false, with a name.
func (f *Follower) known(name watcher.File, identity tailer.ID, identified bool) (knownFile, bool) {
	if identified {
		known, ok := f.files.identified(identity)
		if !ok {
			return f.files.renumbered(f.digest(name), identity)
		}
		return known, ok
	}
	return f.files.presentAt(f.digest(name))
}
