package ledger

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionQuery selects sessions and their use.
type SessionQuery struct {
	Limit int // the maximum number of sessions; of each source, if running
	// Since selects the sessions with a line since then, in milliseconds since the epoch,
	// and their use in intervals that begin then or later, see SessionInterval.
	Since int64
	// Until selects the sessions with use between Since and Until, and only that use. 0 is
	// no limit.
	Until   int64
	Sort    SessionSort
	Project string // only sessions of this project, unless it is empty
	// ID selects only the session with this id in a source, unless it is empty. Without
	// labels of the source, it is the session of the first source with this id. If no
	// session has the id, it selects all sessions whose known ids begin with it, if it has
	// at least MinPrefix characters.
	ID     string
	Source SourceLabels
	// Where reports whether the query selects a session; nil selects all. It is called
	// with the ledger locked.
	Where func(*Session) bool
	// Complete asks for SessionList.Complete, which may visit all sessions.
	Complete bool

	running bool // only sessions that have not ended since their last line
}

// MinPrefix is the length of the shortest beginning of an id that selects a session.
const MinPrefix = 8

// A SessionList is the sessions of a ledger at one moment. It shares nothing with the
// ledger that changes.
type SessionList struct {
	Time     int64           // the moment, in milliseconds since the epoch
	Since    int64           // from when on use is counted; 0 without a limit
	Until    int64           // before when use is counted; 0 without a limit
	Sessions []SessionTotals // in the order of the query
	Live     int             // number of all sessions that are live
	Priced   bool            // whether the cost is counted
	// Complete is a time since when no session was deleted for its age, see complete; 0 if
	// it is not known or the query does not ask for it.
	Complete int64
	// LeftOut is the sum of the selected sessions beyond the limit. In SortByTime without
	// Until, sessions beyond the limit may not be visited.
	LeftOut SessionSum
}

// SessionTotals are a session and its use in the time of the query, including its
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

// SessionList returns the sessions that a query selects, at the time now.
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
	return l.sessions.record(SessionQuery{Limit: limit, Since: math.MinInt64, Complete: true}, now)
}

func (p *sessions) record(q SessionQuery, now int64) (r SessionRecord) {
	r.list = SessionList{Time: now, Priced: p.opts.Prices != nil}
	if q.Complete {
		r.list.Complete = p.complete()
	}
	for range p.live(now) {
		r.list.Live++
	}
	selected, leftOut := p.selected(q)
	r.list.LeftOut = leftOut
	for _, s := range selected {
		t, _ := p.totals.Get(s.key)
		var used []usedAt
		for start, counts := range p.intervals(s.key, &t) {
			used = append(used, usedAt{start, counts})
		}
		totals := SessionTotals{Session: p.session(s.key, &t), Live: p.isLive(s.key, t.last, now), First: max(0, t.first)}
		if totals.ID == "" {
			totals.ID = transcript.Clean(q.ID) // has been forgotten, see name
		}
		r.list.Sessions = append(r.list.Sessions, totals)
		r.used = append(r.used, used)
	}
	return r
}

// Select returns the sessions of the record that a query selects, and their use.
func (r SessionRecord) Select(q SessionQuery) SessionList {
	list := r.list
	list.Since, list.Until, list.Sessions = max(0, q.Since), q.Until, nil
	if !q.Complete {
		list.Complete = 0
	}
	exact := slices.ContainsFunc(r.list.Sessions, func(s SessionTotals) bool { return s.ID == transcript.Clean(q.ID) })
	for i := range r.list.Sessions {
		s := &r.list.Sessions[i]
		if !q.selects(s.Last, s.Project) || !q.identifies(&s.Session, exact) || q.Where != nil && !q.Where(&s.Session) {
			continue
		}
		if used := r.usedIn(i, &q); q.selectsUse(&used) {
			list.Sessions = append(list.Sessions, *s)
			list.Sessions[len(list.Sessions)-1].setCounts(&used)
		}
	}
	first, rest := q.Sort.First(list.Sessions, q.Limit)
	list.Sessions = first
	list.LeftOut.add(&rest)
	return list
}

// usedIn returns the use of a session in the time of a query.
func (r *SessionRecord) usedIn(session int, q *SessionQuery) (sum sessionCounts) {
	for _, u := range r.used[session] {
		if q.hasTime(u.start) {
			sum = sum.plus(u.counts)
		}
	}
	return sum
}

// newest returns the sessions that a query selects, the newest first. It ignores Sort
// and Until.
func (p *sessions) newest(q SessionQuery) (all []agedSession) {
	for s := range p.candidates(q) {
		if !q.running && len(all) >= q.Limit {
			break
		}
		t, known := p.totals.Get(s.key)
		if !known || s.last == 0 && !p.seen.Has(s.key) || q.running && p.hasEnded(s.key, s.last) {
			continue
		}
		if q.selects(s.last, p.projectNamed(t.attrs)) && (q.Where == nil || q.Where(new(p.session(s.key, &t)))) {
			all = append(all, s)
		}
	}
	if q.running {
		return p.firstOfSources(all, q.Limit)
	}
	return all
}

// candidates visits the sessions that a query may select, the newest first.
func (p *sessions) candidates(q SessionQuery) iter.Seq[agedSession] {
	if q.ID == "" {
		return p.inOrder(q.Since)
	}
	key, t, known := p.wanted(SessionID{q.Source, q.ID})
	if !known {
		return slices.Values(p.withPrefix(q))
	}
	return slices.Values([]agedSession{{t.last, key}})
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
