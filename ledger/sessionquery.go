package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionSort is an order of sessions. Sessions that are equal in it have the most
// recently active first.
type SessionSort int

// The orders.
const (
	SortByTime   SessionSort = 0 // the most recently active first
	SortByCost   SessionSort = 1 // the most expensive first
	SortByTokens SessionSort = 2 // the most tokens of all types first
)

// A rankedSession is a session with its use in the time of a query.
type rankedSession struct {
	agedSession

	cost, tokens uint64
}

func newRankedSession(s agedSession, used *sessionCounts) rankedSession {
	r := rankedSession{agedSession: s, cost: used[sessionCost]}
	for _, n := range used[sessionInput : sessionCacheWrite1h+1] {
		r.tokens += n
	}
	return r
}

// selects reports whether the query selects a session by its last line and its project.
func (q *SessionQuery) selects(last int64, project string) bool {
	return last >= q.Since && (q.Project == "" || q.Project == project)
}

// identifies reports whether the query selects a session by its id, exactly or by its
// beginning.
func (q *SessionQuery) identifies(s *Session, exactly bool) bool {
	id := transcript.Clean(q.ID)
	return id == "" || (q.Source == "" || q.Source == s.Source) && (s.ID == id || !exactly && q.isPrefixOf(s.ID))
}

// isPrefixOf reports whether an id begins with the id of the query, which is long
// enough.
func (q *SessionQuery) isPrefixOf(id string) bool {
	return len(q.ID) >= MinPrefix && strings.HasPrefix(id, transcript.Clean(q.ID))
}

// hasTime reports whether the interval of a session that begins at a time is in the
// time of the query.
func (q *SessionQuery) hasTime(start int64) bool {
	return start >= q.Since && (q.Until == 0 || start < q.Until)
}

// selectsUse reports whether the query selects a session with some use in its time.
func (q *SessionQuery) selectsUse(used *sessionCounts) bool {
	return q.Until == 0 || *used != sessionCounts{}
}

// First returns the first sessions in an order, as many as limit, of sessions that are
// sorted by time.
func (s SessionSort) First(list []SessionTotals, limit int) (first []SessionTotals) {
	ranked := make([]rankedSession, len(list))
	for i := range list {
		ranked[i] = rankedSession{agedSession{key: hash64(i)}, list[i].NanoUSD, list[i].Tokens()} // the index is its key
	}
	for _, r := range s.first(ranked, limit) {
		first = append(first, list[r.key])
	}
	return first
}

// first returns the first sessions in an order, as many as limit, of sessions that are
// sorted by time.
func (s SessionSort) first(all []rankedSession, limit int) []rankedSession {
	slices.SortStableFunc(all, func(a, b rankedSession) int {
		switch tokens := cmp.Compare(b.tokens, a.tokens); s {
		case SortByCost:
			return cmp.Or(cmp.Compare(b.cost, a.cost), tokens)
		case SortByTokens:
			return tokens
		}
		return 0
	})
	return all[:min(len(all), limit)]
}

// selected returns the sessions that a query selects, in its order.
func (p *sessions) selected(q SessionQuery) (all []agedSession) {
	if q.Sort == SortByTime && q.Until == 0 {
		return p.newest(q)
	}
	every := q
	every.Limit = math.MaxInt
	var ranked []rankedSession
	for _, s := range p.newest(every) {
		t, _ := p.totals.Get(s.key)
		var used sessionCounts
		for start, counts := range p.intervals(s.key, &t) {
			if q.hasTime(start) {
				used = used.plus(counts)
			}
		}
		if q.selectsUse(&used) {
			ranked = append(ranked, newRankedSession(s, &used))
		}
	}
	for _, s := range q.Sort.first(ranked, q.Limit) {
		all = append(all, s.agedSession)
	}
	return all
}

// withPrefix returns the sessions whose ids are known and begin with the id of a query,
// the newest first.
func (p *sessions) withPrefix(q SessionQuery) (all []agedSession) {
	for key, id := range p.names {
		if t, known := p.totals.Get(key); known && q.isPrefixOf(id) && (q.Source == "" || q.Source == p.sourceOfSession(t)) {
			all = append(all, agedSession{t.last, key})
		}
	}
	slices.SortFunc(all, newestFirst)
	return all
}

// complete returns a time since when no session was deleted for its age, in
// milliseconds since the epoch, or 0. Claude Code deletes the sessions first whose last
// line is the oldest. So while one is known, nothing after its last line was deleted
// from its source.
func (p *sessions) complete() (since int64) {
	sources, seen := make(map[SourceLabels]bool), make(map[SourceLabels]bool)
	for _, attrs := range p.fileAttrs.Values() {
		sources[attrs.source] = true
	}
	p.updateOrder()
	for _, s := range p.order.all {
		if s.last == 0 {
			continue
		}
		t, _ := p.totals.Get(s.key)
		if source := p.sourceOfSession(t); !seen[source] {
			seen[source], since = true, s.last
		}
		if len(seen) == len(sources) { // a source without sessions has all visited
			break
		}
	}
	return since
}
