package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A part counts one kind of thing. It owns its tables, which nothing else changes. Of
// its methods, addInitial, countLine and reindex are called for the parts in byLine,
// and the others for those in byFile, in the order of these lists in New.
type part interface {
	// addInitial creates the series whose labels are known in advance.
	// It is called again after each change of the options.
	addInitial()
	// countLine processes a line.
	countLine(lc *lineContext, e *transcript.Entry)
	// endAtPause is called before a line that follows a pause in its file.
	endAtPause(lc *lineContext)
	// finalize counts what is pending of a file that is no longer written, at the time
	// now.
	finalize(id FileID, f *fileState, now int64)
	// hasPending reports whether finalize would count something.
	hasPending(id FileID, f *fileState) bool
	// reset drops what a file that is read again from its beginning will repeat.
	reset(id FileID, f *fileState)
	// forget drops a file, after finalize, at the time now.
	forget(id FileID, f *fileState, now int64)
	// reindex rebuilds what is derived from the tables, after they were read. It returns
	// false if they are not valid.
	reindex() bool
}

// basic is a part that does nothing. The others embed it.
type basic struct{ *core }

func (basic) addInitial()                               {}
func (basic) countLine(*lineContext, *transcript.Entry) {}
func (basic) endAtPause(*lineContext)                   {}
func (basic) finalize(FileID, *fileState, int64)        {}
func (basic) hasPending(FileID, *fileState) bool        { return false }
func (basic) reset(FileID, *fileState)                  {}
func (basic) forget(FileID, *fileState, int64)          {}
func (basic) reindex() bool                             { return true }

// An event is what counts for a session.
type event struct {
	id      FileID // of the line's file
	when    int64  // see timeOf
	priced  int64  // the time at whose prices its messages are priced
	session transcript.Key
}

// noSession is the hash of lines without a session. hashOf never returns it.
const noSession hash64 = 0

func (e *event) sessionHash() hash64 {
	if e.session.IsZero() {
		return noSession
	}
	return hashOf(e.session)
}

// A lineContext is the context in which one entry is counted.
type lineContext struct {
	event
	file    *fileState
	kind    transcript.FileKind
	now     int64 // when it was read
	source  SourceLabels
	project string
	agent   string
	older   bool        // the time of the line is before that of an earlier one, in seconds
	side    bool        // the line is not of a main conversation
	begins  bool        // the first line of a user in a transcript of a sub-agent
	leftOut bool        // the totals that the line states do not count, see reported
	miss    missContext // of a message that begins with the line

	agentType   string        // of a sub-agent's line
	statedType  string        // the same if the line states it
	attribution attributionID // of the line's message
}
