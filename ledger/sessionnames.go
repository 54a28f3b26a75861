package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// NameSession gives a session its id. The saved state holds no ids: after a restart the
// id comes from the name of the session's file or its next line.
func (l *Ledger) NameSession(session SessionID) {
	key, _, _ := l.sessions.totals.find(session.hash(), session.Source)
	l.sessions.name(key, session.ID)
}

// maxNames is the number of sessions of each source whose ids are kept, unless a
// snapshot has more live sessions: a list of a year links to its most expensive ones.
const maxNames = 10_000

// name records the id of a session that is known. The ids of the newest sessions of
// each source are kept.
func (p *sessions) name(key hash64, id string) {
	if _, named := p.names[key]; named || id == "" || !p.totals.Has(key) {
		return
	}
	p.names[key] = transcript.Clean(id) // of any length in a line
	if limit := max(maxNames, p.opts.maxLive()); len(p.names) > max(limit, p.shrunk)+limit {
		p.shrinkNames(limit)
	}
}

// maxLive limits the live sessions of a source in a snapshot. It exceeds MaxSessions
// because some have no id or context size and are skipped.
func (o *Options) maxLive() int { return max(1000, 4*o.MaxSessions) }

// shrinkNames keeps the ids of the newest sessions of each source.
func (p *sessions) shrinkNames(limit int) {
	all := make([]agedSession, 0, len(p.names))
	for key := range p.names {
		t, _ := p.totals.Get(key)
		all = append(all, agedSession{t.last, key})
	}
	slices.SortFunc(all, newestFirst)
	kept := make(map[hash64]string)
	for _, s := range p.firstOfSources(all, limit) {
		kept[s.key] = p.names[s.key]
	}
	p.names, p.shrunk = kept, len(kept)
}

// keysDropped drops the ids of sessions that are not known any more, and their order.
func (p *sessions) keysDropped() {
	p.order = sessionOrder{}
	maps.DeleteFunc(p.names, func(key table.Hash, _ string) bool { return !p.totals.Has(key) })
}
