package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The totals of a session grow with the counters: whatever adds to the counter of
// requests, tokens, cost, tool calls, tool errors or prompts for a line adds as much to
// the totals of the line's session. So each message counts once, for the session of the
// line that stated it first, and a correction counts for the session of the line that
// corrects.
//
// Totals are forgotten with the file that named the session first and the files that
// share messages with it. They join no files, and no counter depends on them.

// Indexes of sessionCounts. They are persisted: they determine the numbers of fields.
const (
	sessionRequests     = 0
	sessionPrompts      = 1
	sessionToolCalls    = 2
	sessionToolErrors   = 3
	sessionInput        = 4
	sessionOutput       = 5
	sessionCacheRead    = 6
	sessionCacheWrite5m = 7
	sessionCacheWrite1h = 8
	sessionCost         = 9  // in 10^-9 US dollars
	sessionUnpriced     = 10 // tokens

	sessionCountsLen = sessionUnpriced + 1
)

// sessionCounts are numbers of events, tokens, and the cost.
type sessionCounts [sessionCountsLen]uint64

// plus returns the sums.
func (c sessionCounts) plus(more sessionCounts) sessionCounts {
	for i, n := range more {
		c[i] = counters.SaturatingAdd(c[i], n)
	}
	return c
}

// sessionTotals are the data of one session. Its totals are the sums of its intervals.
type sessionTotals struct {
	file     FileID // the transcript that named it first
	attrs    uint32 // of its newest line: id in core.fileAttrs
	model    uint32 // 1 + id in sessions.models of the latest request of its main conversation; 0 before
	interval uint32 // the interval that was added last; 0 without intervals
	context  uint64 // tokens that this request sent
	// first is the earliest time of its prompts and lines of dialogue that are no copies,
	// in milliseconds, 0 if not stated. As long as all are copies, it is the negative of
	// their latest time.
	first int64
	last  int64 // latest time of its lines, in milliseconds; 0 if not stated
}

// noteSession records a line of a session. The first prompt or line of dialogue adds a
// session.
func (p *sessions) noteSession(l *line, e *transcript.Entry) {
	if e.Session.IsZero() {
		return
	}
	key, t, known := p.totals.find(hashOf(e.Session), l.source)
	if !known && !l.dialogue {
		return
	}
	before := t
	if !known {
		t.file, t.attrs = l.id, p.attrsID(l)
	}
	if l.time != 0 {
		// After a prompt of the session itself, a copy is a mistake.
		if l.dialogue && (!l.copied || e.Copied || t.first <= 0 || p.total(key, &t)[sessionPrompts] == 0) {
			t.begin(l.when, l.copied)
		}
		if l.when >= t.last {
			t.last = l.when
			if l.dialogue || l.file.has(fileHasProject) {
				t.attrs = p.attrsID(l)
			}
		}
	}
	if !known || t != before {
		p.totals.Put(key, t)
	}
	p.name(key, e.SessionID)
	if e.Type == "continued-in" {
		p.markEnded(key, t.last)
	}
}

// credit adds to the totals of a line's session, if it has one. If no line of the
// session was read, a fork has copied from it: it has no last line, and is not listed.
func (p *sessions) credit(at *event, more sessionCounts) {
	session := at.sessionHash()
	if session == noSession {
		return
	}
	key, t, known := p.totals.find(session, at.source)
	if !known {
		f, _ := p.files.Get(at.id)
		t.file, t.attrs = at.id, f.attrs
	}
	if p.use(key, &t, at.when, more) {
		p.totals.Put(key, t)
	}
}

func codeSessionTotals(c *table.Coder, t *sessionTotals) {
	table.Uint(c, 1, &t.file)
	table.Uint(c, 2, &t.attrs)
	table.Uint(c, 3, &t.model)
	table.Uint(c, 4, &t.context)
	table.Int(c, 5, &t.first)
	table.Int(c, 6, &t.last)
	table.Uint(c, 7, &t.interval)
}
