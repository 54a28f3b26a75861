package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The totals of a session grow with the counters: whatever adds to the counter of
// requests, tokens, cost, tool calls, tool errors or prompts for a line adds as much to
// the totals of the line's session. So each message counts once, for the session of the
// line that stated it first, and a correction counts for the session of the line that
// corrects.
//
// Totals are forgotten with the file that named the session first and the files that
// share messages with it. They join no files: what is counted does not depend on them.

// Indexes of sessionCounts. Those that are often zero are first: an encoded session
// omits their zeros, see sessionTotals.Append.
const (
	sessionCacheWrite5m = iota
	sessionCacheWrite1h
	sessionCacheRead
	sessionUnpriced // tokens
	sessionToolCalls
	sessionToolErrors
	sessionPrompts
	sessionOmitted // number of counts of which zeros are omitted

	sessionRequests = iota - 1
	sessionInput
	sessionOutput
	sessionCost // in 10^-9 US dollars
	sessionCountsLen
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

// sessionTotals are the totals of one session.
type sessionTotals struct {
	file        FileID // the transcript that named it first
	attrs       uint32 // of its newest line: id in core.fileAttrs
	labels      uint32 // 1 + id in core.labelSets of its latest request; 0 before
	context     uint64 // tokens that this request sent
	first, last int64  // times that its lines state, in milliseconds; 0 if none does
	counts      sessionCounts
}

// noteSession records a line of a session. The first line of dialogue adds a session.
func (p *sessions) noteSession(lc *lineContext, e *transcript.Entry) {
	if e.Session.IsZero() {
		return
	}
	key := hashOf(e.Session)
	t, known := p.totals.Get(key)
	if !known && !e.IsConversation() {
		return
	}
	before := t
	if !known {
		t.file, t.attrs = lc.id, p.attrsID(lc)
	}
	if e.Time >= minTime {
		if t.first == 0 || lc.when < t.first {
			t.first = lc.when
		}
		if lc.when >= t.last {
			t.last, t.attrs = lc.when, p.attrsID(lc)
		}
	}
	switch {
	case !known:
		p.totals.Add(key, t)
	case t != before:
		p.totals.Set(key, t)
	}
}

// credit adds to the totals of a line's session, if it has one.
func (p *sessions) credit(at *event, more sessionCounts) {
	if key := at.sessionHash(); key != noSession {
		t := p.totalsOf(key, at)
		t.counts = t.counts.plus(more)
		p.totals.Put(key, t)
	}
}

// creditRequest is credit for a request that was counted under the labels with an id,
// with a context of the given size in tokens. Main conversations show what they sent
// last.
func (p *sessions) creditRequest(at *event, labels uint32, context uint64) {
	key := at.sessionHash()
	if key == noSession {
		return
	}
	t := p.totalsOf(key, at)
	t.counts[sessionRequests] = counters.SaturatingAdd(t.counts[sessionRequests], 1)
	if p.labelSets.Value(labels).agent == "main" && context > 0 {
		t.labels, t.context = labels+1, context
	}
	p.totals.Put(key, t)
}

// totalsOf returns the totals of a line's session, which may be new.
func (p *sessions) totalsOf(key hash64, at *event) sessionTotals {
	t, known := p.totals.Get(key)
	if !known {
		f, _ := p.files.Get(at.id)
		t.file, t.attrs = at.id, f.attrs
	}
	return t
}

// Layout implements [compactmap.Value], as do the other methods.
func (sessionTotals) Layout() uint32 { return 1 }

// sessionNumbers is the number of varints of a session besides those of appendTotals.
const sessionNumbers = sessionCountsLen - sessionOmitted + 5

func (sessionTotals) Varints(first byte) int { return 2 + bits.OnesCount8(first) + sessionNumbers }

func (t sessionTotals) Append(b []byte) []byte {
	b = appendTotals(b, 0, t.file, t.counts[:sessionOmitted])
	for _, n := range t.counts[sessionOmitted:] {
		b = binary.AppendUvarint(b, n)
	}
	b = binary.AppendUvarint(b, uint64(t.attrs))
	b = binary.AppendUvarint(b, uint64(t.labels))
	b = binary.AppendUvarint(b, t.context)
	b = binary.AppendVarint(b, t.first)
	return binary.AppendVarint(b, t.last-t.first)
}

func (sessionTotals) Decode(b []byte) (t sessionTotals, size int) {
	d := compactmap.NewDecoder(b)
	decodeTotals(&d, 1<<sessionOmitted-1, &t.file, t.counts[:sessionOmitted])
	for i := sessionOmitted; i < sessionCountsLen; i++ {
		t.counts[i] = d.Uint(math.MaxUint64)
	}
	t.attrs = uint32(d.Uint(math.MaxUint32))  //nolint:gosec // limited
	t.labels = uint32(d.Uint(math.MaxUint32)) //nolint:gosec // limited
	t.context = d.Uint(math.MaxUint64)
	t.first = d.Int()
	t.last = t.first + d.Int()
	return t, d.Size()
}
