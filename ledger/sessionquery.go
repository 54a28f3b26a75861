package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
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

	use SessionSum
}

// A SessionSum is a number of sessions and the sum of their use.
type SessionSum struct {
	Sessions                  int
	Tokens, NanoUSD, Unpriced uint64 // see SessionTotals
}

func (s *SessionSum) add(other *SessionSum) {
	s.Sessions += other.Sessions
	s.Tokens = counters.SaturatingAdd(s.Tokens, other.Tokens)
	s.NanoUSD = counters.SaturatingAdd(s.NanoUSD, other.NanoUSD)
	s.Unpriced = counters.SaturatingAdd(s.Unpriced, other.Unpriced)
}

func newRankedSession(s agedSession, used *sessionCounts) rankedSession {
	r := rankedSession{s, SessionSum{Sessions: 1, NanoUSD: used[sessionCost], Unpriced: used[sessionUnpriced]}}
	for _, n := range used[sessionInput : sessionCacheWrite1h+1] {
		r.use.Tokens += n
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
// sorted by time, and the sum of the rest.
func (s SessionSort) First(list []SessionTotals, limit int) (first []SessionTotals, rest SessionSum) {
	ranked := make([]rankedSession, len(list))
	for i := range list {
		t := &list[i]
		ranked[i] = rankedSession{agedSession{key: hash64(i)}, SessionSum{1, t.Tokens(), t.NanoUSD, t.Unpriced}} // the index is its key
	}
	ranked, rest = s.first(ranked, limit)
	for _, r := range ranked {
		first = append(first, list[r.key])
	}
	return first, rest
}

// first is First for ranked sessions.
func (s SessionSort) first(all []rankedSession, limit int) (first []rankedSession, rest SessionSum) {
	slices.SortStableFunc(all, func(a, b rankedSession) int {
		switch tokens := cmp.Compare(b.use.Tokens, a.use.Tokens); s {
		case SortByCost:
			return cmp.Or(cmp.Compare(b.use.NanoUSD, a.use.NanoUSD), tokens)
		case SortByTokens:
			return tokens
		}
		return 0
	})
	n := min(len(all), limit)
	for i := range all[n:] {
		rest.add(&all[n+i].use)
	}
	return all[:n], rest
}

// selected returns the sessions that a query selects, in its order, and
// SessionList.LeftOut.
func (p *sessions) selected(q SessionQuery) (all []agedSession, leftOut SessionSum) {
	if q.Sort == SortByTime && q.Until == 0 {
		return p.newest(q), leftOut
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
	first, leftOut := q.Sort.first(ranked, q.Limit)
	for _, s := range first {
		all = append(all, s.agedSession)
	}
	return all, leftOut
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
