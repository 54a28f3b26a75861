package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// pauseAfter is the time without a line in a file, in seconds, that is a pause. It is
// the default time after which a file is quiet, so a daemon that followed the file has
// finalized it then.
const pauseAfter = 10 * 60

// endAtPause finishes the turn, the requests and the run of a file, as FinalizeFile
// does, before a line that follows a pause. So reading at rest counts the same as
// reading while the file grows: further lines of the message before the pause do not
// belong to its turn, its request or its run, and do not change how the request was
// made. Times that no line can have are ignored.
func (l *Ledger) endAtPause(lc *lineContext, e *transcript.Entry) {
	if e.Time < minTime {
		return
	}
	f, at := lc.file, seconds(lc.when)
	if f.latest > 0 && at > f.latest && at-f.latest > pauseAfter {
		if h := l.heldMessage(f.openMessage()); h != nil {
			l.completeCircumstances(h)
		}
		l.finishTurn(lc.id, lc.now)
		l.finishRequests(lc.id, lc.source, lc.now)
		l.endRunAtPause(lc)
	}
	f.latest = max(f.latest, at)
}
