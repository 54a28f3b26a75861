package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// An event is the file, the time and the session to which a count belongs.
type event struct {
	id      FileID // of the line's file
	when    int64  // see line.setTimes
	priced  int64  // the time at whose prices its messages are priced
	session transcript.Key
	source  SourceLabels // of the session
}

// noSession is the hash of lines without a session. hashOf never returns it.
const noSession hash64 = 0

func (e *event) sessionHash() hash64 {
	if e.session.IsZero() {
		return noSession
	}
	return hashOf(e.session)
}

// A line is the context of an entry that the parts need. Ledger.prepare and the
// preparers set it before the first part sees it. Parts change neither a line nor an
// entry, and in the state of the file only the fields that belong to them, see
// fileState. TestPartsOnlyCount enforces it.
type line struct {
	event
	file *fileState
	kind transcript.FileKind
	now  int64 // when it was read
	time int64 // the time that it states, 0 if that is not usable, see setTimes
	side bool  // it is not part of a main conversation

	modified int64 // when its file was modified, 0 if that is not known

	replaced   string // why event.when is not the time that the line states, one of TimeReasons; empty if it is
	older      bool   // its time is before the time of an earlier line of the file, in seconds
	afterPause bool   // nothing was written to the file for pauseAfter before it

	project, agent string // labels
	agentType      string // label of a sub-agent's line
	statedType     string // agentType if the line states it, otherwise empty
	attribution    attributionID

	message              transcript.Key   // of the message, or of the response without usage
	uses, results, facts []transcript.Key // of the elements of the entry's slices
	startsMessage        bool             // the previous line with a message, in the file, has another message
	miss                 missContext      // if startsMessage

	dialogue    bool // it is a prompt or part of the dialogue
	copied      bool // it is dialogue, and a copy from another session
	startsAgent bool // it is the first line of a user in a transcript of a sub-agent
	leftOut     bool // the totals that it states do not count, see reported
}

// labels returns the labels of the line's contents, except for the model.
func (l *line) labels() messageLabels {
	return messageLabels{project: l.project, agent: l.agent, source: l.source, attribution: l.attribution}
}
