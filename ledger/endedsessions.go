package ledger

import (
	"cmp"
	"slices"
)

// quietAfter is how long a session must have had no line to be observed, in
// milliseconds.
const quietAfter = dayMillis

// HasEndedSessions reports whether EndSessions would observe a session.
func (l *Ledger) HasEndedSessions(now int64) bool { return len(l.endedSessions(now)) > 0 }

// EndSessions observes the sessions that have been quiet for a day at the time now,
// each at the time of its last line. A session that is resumed afterwards is not
// observed again.
func (l *Ledger) EndSessions(now int64) {
	l.zeroFirst.next()
	for _, s := range l.endedSessions(now) {
		t, _ := l.totals.Get(s.key)
		l.seen[seenEndedSession].Add(s.key, t.file)
		source := l.fileAttrs.values[t.attrs].source
		l.observe(sessionDuration, uint64(t.last-t.first), t.last, source) //nolint:gosec // not negative
		l.observe(sessionPromptCount, t.counts[sessionPrompts], t.last, source)
		l.observe(sessionRequestCount, t.counts[sessionRequests], t.last, source)
	}
	l.seen[seenEndedSession].Compact()
	l.zeroFirst.markExposed()
}

// endedSessions returns the counted sessions that have been quiet for a day and were
// not observed, the oldest first.
func (l *Ledger) endedSessions(now int64) (ended []agedSession) {
	for key, t := range l.totals.All() {
		if t.last == 0 || now-t.last <= quietAfter {
			continue
		}
		_, counted := l.seen[seenSession].Get(key)
		_, observed := l.seen[seenEndedSession].Get(key)
		if counted && !observed {
			ended = append(ended, agedSession{t.last, key})
		}
	}
	slices.SortFunc(ended, func(a, b agedSession) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.key, b.key))
	})
	return ended
}
