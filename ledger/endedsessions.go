package ledger

import (
	"cmp"
	"slices"
)

// quietAfter is how long a session must have had no line to be observed, and a run of a
// sub-agent that has not ended to be counted, in milliseconds.
const quietAfter = dayMillis

// EndSessions observes the sessions that have been quiet for a day at the time now,
// each at the time of its last line. A session that is resumed afterwards is not
// observed again. It also counts the runs of sub-agents that have not ended, if nothing
// has followed for a day.
func (l *Ledger) EndSessions(now int64) {
	l.agents.finishUnended(now)
	l.sessions.end(now)
	l.set.Expose()
}

func (p *sessions) end(now int64) {
	for _, s := range slices.Backward(p.endedSessions(now)) {
		t, _ := p.totals.Get(s.key)
		holder, _ := p.seen.Get(s.key)
		if p.isElsewhere(holder, p.sourceOf(t.file)) {
			holder = t.file // not forgotten with the keys of another source
		}
		p.ended.Put(s.key, holder)
		source := p.fileAttrs.Value(t.attrs).source
		p.add(p.families.duration, uint64(t.last-cmp.Or(t.start(), t.last)), t.last, source)
		total := p.total(s.key, &t)
		p.add(p.families.prompts, total[sessionPrompts], t.last, source)
		p.add(p.families.requests, total[sessionRequests], t.last, source)
	}
}

// endedSessions returns the counted sessions that have been quiet for a day and were
// not observed, except forks that have not gone on yet, the newest first.
func (p *sessions) endedSessions(now int64) (all []agedSession) {
	for key, t := range p.totals.All() {
		holder, counted := p.seen.Get(key)
		if t.last == 0 || now-t.last <= quietAfter || !counted || p.ended.Has(key) {
			continue
		}
		if f, _ := p.files.Get(holder); t.hasOnlyCopies() && f.has(fileForked) {
			continue // unless its file shows that, it is the parent of a fork read before
		}
		all = append(all, agedSession{t.last, key})
	}
	slices.SortFunc(all, newestFirst)
	return all
}
