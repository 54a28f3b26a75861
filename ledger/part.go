package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A part counts one kind of thing. It owns its tables, which nothing else changes. New
// lists the parts.
type part interface {
	keeper
	// addInitial creates the series whose labels are known in advance.
	// It is called again after each change of the options.
	addInitial()
	// countLine counts what an entry states. It changes neither the line nor the entry.
	countLine(l *line, e *transcript.Entry)
	// endAtPause is called before countLine if a line follows a pause in its file.
	endAtPause(l *line)
	// finalize counts the pending data of a file that is no longer written, at the time
	// now.
	finalize(id FileID, f *fileState, now int64)
	// hasPending reports whether finalize would count something.
	hasPending(id FileID, f *fileState) bool
}

// A keeper keeps something about files. Parts are keepers, and so are preparers with
// tables of their own.
type keeper interface {
	// reset drops what a file that is read again from its beginning will repeat.
	reset(id FileID, f *fileState)
	// forget drops a file, after finalize, at the time now.
	forget(id FileID, f *fileState, now int64)
	// keysDropped drops what belongs to keys that Forget has dropped.
	keysDropped()
	// reindex rebuilds what follows from the tables, after they were read. It returns
	// false if they are not valid.
	reindex() bool
}

// basic is a part that does nothing. Parts and keepers embed it.
type basic struct{ *core }

func (basic) addInitial()                        {}
func (basic) countLine(*line, *transcript.Entry) {}
func (basic) endAtPause(*line)                   {}
func (basic) finalize(FileID, *fileState, int64) {}
func (basic) hasPending(FileID, *fileState) bool { return false }
func (basic) reset(FileID, *fileState)           {}
func (basic) forget(FileID, *fileState, int64)   {}
func (basic) keysDropped()                       {}
func (basic) reindex() bool                      { return true }
