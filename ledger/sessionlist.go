package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionQuery selects sessions.
type SessionQuery struct {
	Limit   int    // the maximum number of sessions
	Since   int64  // only those with a line since then, in milliseconds since the epoch
	Project string // only those of this project, unless it is empty
}

// A SessionList is the sessions of a ledger at one moment. It shares nothing with the
// ledger that changes.
type SessionList struct {
	Time     int64           // the moment, in milliseconds since the epoch
	Sessions []SessionTotals // the most recently active first
	Live     int             // number of all sessions that are live
	Priced   bool            // whether the cost is counted
}

// SessionTotals are a session and what was counted for it, its sub-agents included.
type SessionTotals struct {
	Session // of the latest request of the main conversation: Model and Context
	Live    bool
	// Incomplete is true if another version counted a part of the session, of which it
	// recorded no totals.
	Incomplete bool
	First      int64 // time of its first line in milliseconds since the epoch; 0 if unknown

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
	list := SessionList{Time: now, Priced: l.opts.Prices != nil}
	for _, a := range l.live.active.All() {
		if l.isLive(a.last, now) {
			list.Live++
		}
	}
	for _, s := range l.newest(q) {
		list.Sessions = append(list.Sessions, l.describe(s.key, now))
	}
	return list
}

// Select returns the part of the list that a query selects.
func (l SessionList) Select(q SessionQuery) SessionList {
	var selected []SessionTotals
	for i := range l.Sessions {
		if s := &l.Sessions[i]; len(selected) < q.Limit && q.selects(s.Last, s.Project) {
			selected = append(selected, *s)
		}
	}
	l.Sessions = selected
	return l
}

// selects reports whether the query selects a session.
func (q *SessionQuery) selects(last int64, project string) bool {
	return last >= q.Since && (q.Project == "" || q.Project == project)
}

// newest returns the sessions that a query selects, the newest first.
func (l *Ledger) newest(q SessionQuery) []agedSession {
	var all []agedSession
	for key, t := range l.totals.All() {
		if q.selects(t.last, l.projectNamed(t.attrs)) {
			all = append(all, agedSession{t.last, key})
		}
	}
	slices.SortFunc(all, newestFirst)
	return all[:min(len(all), q.Limit)]
}

func newestFirst(a, b agedSession) int {
	return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.key, b.key))
}

// describe returns the totals of a session. A live session has the model and context of
// its gauges, which show requests that are not counted yet.
func (l *Ledger) describe(key hash64, now int64) SessionTotals {
	t, _ := l.totals.Get(key)
	c := &t.counts
	s := SessionTotals{
		Session: Session{
			ID: l.names[key], Project: l.projectNamed(t.attrs), Source: l.fileAttrs.values[t.attrs].source,
			Context: t.context, Last: t.last,
		},
		First: t.first, Incomplete: l.isIncomplete(key, c),
		Requests: c[sessionRequests], Prompts: c[sessionPrompts], ToolCalls: c[sessionToolCalls], ToolErrors: c[sessionToolErrors],
		Input: c[sessionInput], Output: c[sessionOutput], CacheRead: c[sessionCacheRead],
		CacheWrite5m: c[sessionCacheWrite5m], CacheWrite1h: c[sessionCacheWrite1h],
		NanoUSD: c[sessionCost], Unpriced: c[sessionUnpriced],
	}
	if t.labels > 0 {
		s.Model = l.messageLabels.values[t.labels-1].model
	}
	if a := l.live.active.Get(key); a != nil {
		s.Live = l.isLive(a.last, now)
	}
	if d := l.live.details[key]; s.Live && d != nil && d.context > 0 {
		s.Model, s.Context = l.peek(modelLabel, d.model), d.context
	}
	return s
}

// isLive reports whether a session is live at the time now, if its newest line is of
// the time last.
func (l *Ledger) isLive(last, now int64) bool { return now-last <= l.opts.ActiveFor }

// projectNamed returns the project of attributes.
func (l *Ledger) projectNamed(attrs uint32) string {
	return cmp.Or(l.fileAttrs.values[attrs].project, l.opts.UnknownProject)
}

// isIncomplete reports whether more tokens were counted for a session than its totals
// contain.
func (l *Ledger) isIncomplete(key hash64, c *sessionCounts) bool {
	u, _ := l.usage.Get(key)
	return u.tokens[reportedInput] != c[sessionInput] || u.tokens[reportedOutput] != c[sessionOutput] ||
		u.tokens[reportedCacheRead] != c[sessionCacheRead] ||
		u.tokens[reportedCacheWrite] != SaturatingAdd(c[sessionCacheWrite5m], c[sessionCacheWrite1h])
}

// NameSession gives a session its id. The saved state holds no ids: after a restart the
// id comes from the name of the session's file or its next line.
func (l *Ledger) NameSession(sessionID string) {
	l.name(hashOf(transcript.KeyOf("session", sessionID)), sessionID)
}

// name records the id of a session that is known. The ids of the newest sessions are
// kept: at least as many as there are details of live ones.
func (l *Ledger) name(key hash64, id string) {
	if _, named := l.names[key]; named || !l.knows(key) {
		return
	}
	l.names[key] = transcript.Clean(id) // of any length in a line
	if limit := l.opts.maxDetails(); len(l.names) > 2*limit {
		l.shrinkNames(limit)
	}
}

// knows reports whether a session has totals or is live.
func (l *Ledger) knows(key hash64) bool {
	_, ok := l.totals.Get(key)
	return ok || l.live.active.Get(key) != nil
}

// shrinkNames keeps the ids of the newest sessions.
func (l *Ledger) shrinkNames(limit int) {
	all := make([]agedSession, 0, len(l.names))
	for key := range l.names {
		t, _ := l.totals.Get(key)
		last := t.last
		if a := l.live.active.Get(key); a != nil {
			last = max(last, a.last)
		}
		all = append(all, agedSession{last, key})
	}
	slices.SortFunc(all, newestFirst)
	for _, s := range all[min(len(all), limit):] {
		delete(l.names, s.key)
	}
}

// forgetNames drops the ids of sessions that are not known any more.
func (l *Ledger) forgetNames() {
	maps.DeleteFunc(l.names, func(key compactmap.Key, _ string) bool { return !l.knows(key) })
}
