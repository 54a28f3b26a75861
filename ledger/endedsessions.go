package ledger

import (
	"iter"
	"slices"
)

// quietAfter is how long a session must have had no line to be observed, and a run of a
// sub-agent that has not ended to be counted, in milliseconds.
const quietAfter = dayMillis

// HasEndedSessions reports whether EndSessions would count something.
func (l *Ledger) HasEndedSessions(now int64) bool {
	for range l.endedSessions(now) {
		return true
	}
	return len(l.unendedRuns(now)) > 0
}

// EndSessions observes the sessions that have been quiet for a day at the time now,
// each at the time of its last line. A session that is resumed afterwards is not
// observed again. It also counts the runs of sub-agents that have not ended, if nothing
// has followed for a day.
func (l *Ledger) EndSessions(now int64) {
	l.zeroFirst.next()
	for _, id := range l.unendedRuns(now) {
		f := l.files[id]
		l.finishRun(id, &f, now)
	}
	for _, s := range slices.SortedFunc(l.endedSessions(now), agedSession.compare) {
		t, _ := l.totals.Get(s.key)
		holder, _ := l.seen[seenSession].Get(s.key)
		l.seen[seenEndedSession].Add(s.key, holder)
		source := l.fileAttrs.values[t.attrs].source
		l.observe(sessionDuration, uint64(t.last-t.first), t.last, source) //nolint:gosec // not negative
		l.observe(sessionPromptCount, t.counts[sessionPrompts], t.last, source)
		l.observe(sessionRequestCount, t.counts[sessionRequests], t.last, source)
	}
	l.seen[seenEndedSession].Compact()
	l.zeroFirst.markExposed()
}

// endedSessions returns the counted sessions that have been quiet for a day and were
// not observed.
func (l *Ledger) endedSessions(now int64) iter.Seq[agedSession] {
	return func(yield func(agedSession) bool) {
		for key, t := range l.totals.All() {
			if t.last == 0 || now-t.last <= quietAfter {
				continue
			}
			_, counted := l.seen[seenSession].Get(key)
			_, observed := l.seen[seenEndedSession].Get(key)
			if counted && !observed && !yield(agedSession{t.last, key}) {
				return
			}
		}
	}
}
