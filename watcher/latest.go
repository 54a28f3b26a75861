package watcher

import (
	"cmp"
	"slices"
	"time"
)

const (
	// recentTime is how long a file or directory is checked after it was written. Nearly
	// all writes go to files that were written shortly before.
	recentTime = 15 * time.Minute
	// maxRecent limits the recent files and directories of a source to the latest.
	maxRecent = 512
)

// latest are the files and directories of a source that were written last. It holds at
// most twice maxRecent.
type latest []writtenEntry

type writtenEntry struct {
	FoundFile

	dir bool
}

// add adds a file or directory.
func (l *latest) add(f FoundFile, dir bool) {
	if *l = append(*l, writtenEntry{f, dir}); len(*l) == 2*maxRecent {
		l.shorten()
	}
}

// shorten sorts the files and directories, the latest first, and keeps maxRecent.
func (l *latest) shorten() {
	slices.SortFunc(*l, func(a, b writtenEntry) int { return cmp.Compare(b.Info.modified, a.Info.modified) })
	*l = (*l)[:min(len(*l), maxRecent)]
}

// recent returns the files and directories that were written recently, the latest
// first. The clock of the file system may be behind ours, so the latest of their times
// counts as now. If it is ahead, more files are recent, up to the limit. Either way,
// walks find all changes.
func (l *latest) recent(now time.Time) []writtenEntry {
	l.shorten()
	if len(*l) == 0 {
		return nil
	}
	since := min((*l)[0].Info.modified, now.UnixNano()) - int64(recentTime)
	n := slices.IndexFunc(*l, func(e writtenEntry) bool { return e.Info.modified <= since })
	if n < 0 {
		n = len(*l)
	}
	return (*l)[:n]
}
