package ledger

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionQuery selects sessions and their use.
type SessionQuery struct {
	Limit int // the maximum number of sessions; of each source, if running
	// Since selects the sessions with a line since then, in milliseconds since the epoch,
	// and their use in intervals that begin then or later, see SessionInterval.
	Since   int64
	Project string // only sessions of this project, unless it is empty
	// ID selects only the session with this id in a source, unless it is empty. Without
	// labels of the source, it is the session of the first source with this id.
	ID     string
	Source SourceLabels

	running bool // only sessions that have not ended since their last line
}

// A SessionList is the sessions of a ledger at one moment. It shares nothing with the
// ledger that changes.
type SessionList struct {
	Time     int64           // the moment, in milliseconds since the epoch
	Since    int64           // from when on use is counted; 0 if all use is
	Sessions []SessionTotals // the most recently active first
	Live     int             // number of all sessions that are live
	Priced   bool            // whether the cost is counted
}

// SessionTotals are a session and its use since the time of the query, including its
// sub-agents.
type SessionTotals struct {
	Session // of the latest request of the main conversation: Model and Context
	Live    bool
	First   int64 // time of its first prompt or line of dialogue in milliseconds since the epoch; 0 if unknown

	Requests, Prompts, ToolCalls, ToolErrors uint64

	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h uint64 // tokens

	NanoUSD  uint64 // cost in 10^-9 US dollars
	Unpriced uint64 // tokens of models without a price, which NanoUSD does not contain
}

// Tokens returns the number of tokens of all types.
func (s *SessionTotals) Tokens() uint64 {
	return s.Input + s.Output + s.CacheRead + s.CacheWrite5m + s.CacheWrite1h
}

// SessionList returns the most recently active sessions that a query selects, at the
// time now.
func (l *Ledger) SessionList(q SessionQuery, now int64) SessionList {
	return l.sessions.record(q, now).Select(q)
}

// A SessionRecord is some sessions and their use by interval, at one moment. It shares
// nothing with the ledger that changes.
type SessionRecord struct {
	list SessionList
	used [][]usedAt // by session
}

// A usedAt is the use of a session in an interval that begins at a time in milliseconds
// since the epoch.
type usedAt struct {
	start  int64
	counts sessionCounts
}

// SessionRecord returns the most recently active sessions, as many as limit, at the
// time now.
func (l *Ledger) SessionRecord(limit int, now int64) SessionRecord {
	return l.sessions.record(SessionQuery{Limit: limit, Since: math.MinInt64}, now)
}

func (p *sessions) record(q SessionQuery, now int64) (r SessionRecord) {
	r.list = SessionList{Time: now, Priced: p.opts.Prices != nil}
	for key, t := range p.totals.All() {
		if p.isLive(key, t.last, now) {
			r.list.Live++
		}
	}
	for _, s := range p.newest(q) {
		t, _ := p.totals.Get(s.key)
		var used []usedAt
		for start, counts := range p.intervals(s.key, &t) {
			used = append(used, usedAt{start, counts})
		}
		totals := SessionTotals{Session: p.session(s.key, &t), Live: p.isLive(s.key, t.last, now), First: max(0, t.first)}
		if q.ID != "" {
			totals.ID = transcript.Clean(q.ID) // may have been forgotten, see name
		}
		r.list.Sessions = append(r.list.Sessions, totals)
		r.used = append(r.used, used)
	}
	return r
}

// Select returns the sessions of the record that a query selects, and their use.
func (r SessionRecord) Select(q SessionQuery) SessionList {
	list := r.list
	list.Since, list.Sessions = max(0, q.Since), nil
	for i := range r.list.Sessions {
		s := r.list.Sessions[i]
		if len(list.Sessions) >= q.Limit || !q.selects(s.Last, s.Project) || !q.identifies(&s.Session) {
			continue
		}
		var sum sessionCounts
		for _, u := range r.used[i] {
			if u.start >= q.Since {
				sum = sum.plus(u.counts)
			}
		}
		s.setCounts(&sum)
		list.Sessions = append(list.Sessions, s)
	}
	return list
}

// selects reports whether the query selects a session.
func (q *SessionQuery) selects(last int64, project string) bool {
	return last >= q.Since && (q.Project == "" || q.Project == project)
}

// identifies reports whether the query selects a session by its id.
func (q *SessionQuery) identifies(s *Session) bool {
	return q.ID == "" || s.ID == transcript.Clean(q.ID) && (q.Source == "" || q.Source == s.Source)
}

// newest returns the sessions that a query selects, the newest first.
func (p *sessions) newest(q SessionQuery) []agedSession {
	var all []agedSession
	wanted, _, _ := p.wanted(SessionID{q.Source, q.ID})
	for key, t := range p.totals.All() {
		if t.last == 0 && !p.seen.Has(key) || q.ID != "" && key != wanted || q.running && p.hasEnded(key, t.last) {
			continue
		}
		if q.selects(t.last, p.projectNamed(t.attrs)) {
			all = append(all, agedSession{t.last, key})
		}
	}
	slices.SortFunc(all, newestFirst)
	if q.running {
		return p.firstOfSources(all, q.Limit)
	}
	return all[:min(len(all), q.Limit)]
}

// wanted returns the row of a session and its key. Without labels of its source, it may
// be the session of another source, the first with this id.
func (p *sessions) wanted(id SessionID) (key hash64, t sessionTotals, known bool) {
	if key, t, known = p.totals.find(id.hash(), id.Source); !known && id.Source == "" {
		key = id.hash()
		t, known = p.totals.Get(key)
	}
	return key, t, known
}

// firstOfSources returns the first sessions of each source, as many as limit.
func (p *sessions) firstOfSources(all []agedSession, limit int) (first []agedSession) {
	n := make(map[SourceLabels]int)
	for _, s := range all {
		t, _ := p.totals.Get(s.key)
		source := p.sourceOfSession(t)
		if n[source]++; n[source] <= limit {
			first = append(first, s)
		}
	}
	return first
}

// An agedSession is a session with the time of its newest line.
type agedSession struct {
	last int64
	key  hash64
}

func newestFirst(a, b agedSession) int {
	return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.key, b.key))
}

// setCounts sets the use of the session.
func (s *SessionTotals) setCounts(c *sessionCounts) {
	s.Requests, s.Prompts, s.ToolCalls, s.ToolErrors = c[sessionRequests], c[sessionPrompts], c[sessionToolCalls], c[sessionToolErrors]
	s.Input, s.Output, s.CacheRead = c[sessionInput], c[sessionOutput], c[sessionCacheRead]
	s.CacheWrite5m, s.CacheWrite1h = c[sessionCacheWrite5m], c[sessionCacheWrite1h]
	s.NanoUSD, s.Unpriced = c[sessionCost], c[sessionUnpriced]
}

// projectNamed returns the project of attributes.
func (p *sessions) projectNamed(attrs uint32) string {
	return cmp.Or(p.fileAttrs.Value(attrs).project, p.opts.UnknownProject)
}

// NameSession gives a session its id. The saved state holds no ids: after a restart the
// id comes from the name of the session's file or its next line.
func (l *Ledger) NameSession(session SessionID) {
	key, _, _ := l.sessions.totals.find(session.hash(), session.Source)
	l.sessions.name(key, session.ID)
}

// name records the id of a session that is known. The ids of the newest sessions of
// each source are kept: at least as many as a snapshot has live sessions.
func (p *sessions) name(key hash64, id string) {
	if _, named := p.names[key]; named || id == "" || !p.totals.Has(key) {
		return
	}
	p.names[key] = transcript.Clean(id) // of any length in a line
	if limit := p.opts.maxLive(); len(p.names) > max(limit, p.shrunk)+limit {
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

// keysDropped drops the ids of sessions that are not known any more.
func (p *sessions) keysDropped() {
	maps.DeleteFunc(p.names, func(key table.Hash, _ string) bool { return !p.totals.Has(key) })
}
