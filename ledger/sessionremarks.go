package ledger

import (
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A sessionRemark is data that few sessions have beside their totals.
type sessionRemark struct {
	file   FileID // sessionTotals.file
	window uint64 // tokens that the context can have, as a line states for the present model; 0 if not stated
	ended  int64  // when it was known to have ended, in milliseconds; it goes on with a later line
}

// remark changes the remark of a session that is known.
func (p *sessions) remark(key hash64, change func(r *sessionRemark)) {
	t, known := p.totals.Get(key)
	if !known {
		return
	}
	r, _ := p.remarks.Get(key)
	before := r
	change(&r)
	if r != before {
		r.file = t.file
		p.remarks.Put(key, r)
	}
}

// MarkEnded records that the process of a session has ended at a time in milliseconds
// since the epoch. With 0 it runs again.
func (l *Ledger) MarkEnded(session SessionID, at int64) {
	key, _, _ := l.sessions.totals.find(session.hash(), session.Source)
	l.sessions.markEnded(key, at)
}

func (p *sessions) markEnded(key hash64, at int64) {
	p.remark(key, func(r *sessionRemark) { r.ended = at })
}

// hasEnded reports whether a session has ended after its last line.
func (p *sessions) hasEnded(key hash64, last int64) bool {
	r, _ := p.remarks.Get(key)
	return r.ended != 0 && last <= r.ended
}

// isLive reports whether a session, whose newest line is of the time last, is live at
// the time now.
func (p *sessions) isLive(key hash64, last, now int64) bool {
	return now-last <= p.opts.ActiveFor && !p.hasEnded(key, last)
}

// noteWindow records the context window that a line states for the model of the latest
// request of its session.
func (p *sessions) noteWindow(l *line, stated []transcript.ReportedUsage) {
	for i := range stated {
		key, t, _ := p.totals.find(l.sessionHash(), l.source)
		if window := stated[i].ContextWindow; window > 0 && p.isModel(&t, stated[i].Model) {
			p.remark(key, func(r *sessionRemark) { r.window = window })
		}
	}
}

// isModel reports whether a session's latest request has a model, perhaps in another
// spelling.
func (p *sessions) isModel(t *sessionTotals, model string) bool {
	return t.model != 0 && pricing.Normalize(p.models.Value(t.model-1).name) == pricing.Normalize(model)
}

func codeSessionRemark(c *table.Coder, r *sessionRemark) {
	table.Uint(c, 1, &r.file)
	table.Uint(c, 2, &r.window)
	table.Int(c, 3, &r.ended)
}
