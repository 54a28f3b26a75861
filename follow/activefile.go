package follow

import (
	"time"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// An activeFile is being read, or has a pending message or an unterminated last line.
type activeFile struct {
	id       ledger.FileID
	name     watcher.File
	present  bool // found at name
	waits    bool // to be finalized once it is quiet
	size     int64
	modified time.Time
	owner    opendir.Owner
	changed  time.Time // when it last changed, see lastChange, or was found missing
	walks    int       // Follower.walks at the time of the change
	searched int64     // no newline between the offset and here
	offset   int64
	torn     int64 // bytes after offset that are searched, quiet, and not in the backlog

	fingerprint tailer.Fingerprint // up to offset, zero if the file is read from its beginning
}

// lastChange returns when a file last changed, if that has just been noticed: now while
// files are followed, else its modification time, unless that is in the future.
//
// The time has a monotonic reading, so that sleep of the machine does not count as time
// without a change: the program that writes the file sleeps too. The modification time
// of a file on a server is from another clock.
func (f *Follower) lastChange(modified time.Time) time.Time {
	now := f.now()
	if f.live {
		return now
	}
	return now.Add(-max(0, now.Sub(modified)))
}

// advance records how far the file was searched. If the cursor has another offset, some
// lines could not be applied, so they are searched again.
func (a *activeFile) advance(c tailer.Cursor) {
	if a.searched = a.offset; c.Offset == a.offset {
		a.searched = c.Scanned
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// keep keeps a file active as long as it waits.
func (f *Follower) keep(a *activeFile) {
	if a.waits = f.waits(a); !a.waits {
		delete(f.active, a.id)
		return
	}
	f.active[a.id] = a
	f.quietSince = earlier(f.quietSince, a.changed)
}

// waits reports whether a file has messages to finalize once it is quiet.
func (f *Follower) waits(a *activeFile) bool {
	return a.size > a.offset || f.state.Ledger().HasPending(a.id)
}
