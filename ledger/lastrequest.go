package ledger

import (
	"math"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A lastRequest is the latest request of a conversation. It explains a cache miss of
// the next request. docs/design/requests.md states the rule. Every transcript has a
// lastRequest, so it is small.
type lastRequest struct {
	ended  uint32 // time of its latest line in seconds since the epoch, 0 if not stated
	cached uint32 // tokens that it read from the cache and wrote to it
	model  uint32 // digest of its model
	flags  requestFlags
}

// requestFlags are properties of a lastRequest.
type requestFlags uint8

// The flags of a request. Their numbers are persisted.
const (
	requestKnown   requestFlags = 1  // there is a request
	requestFinal   requestFlags = 2  // the numbers are of a line with a stop reason
	longBefore     requestFlags = 4  // the writes before it live for an hour, not for five minutes
	longLived      requestFlags = 8  // its writes, or else the writes before it, live for an hour
	compactedSince requestFlags = 16 // the context was compacted after it
)

// The lifetimes of cache writes in seconds.
const (
	shortLifetime = 5 * 60
	longLifetime  = 60 * 60
)

func (r *lastRequest) has(flag requestFlags) bool { return r.flags&flag != 0 }

func (r *lastRequest) set(flags requestFlags, on bool) {
	if r.flags &^= flags; on {
		r.flags |= flags
	}
}

// lastRequests prepares the context of cache misses: it keeps the latest request of
// every conversation. Copies are followed, too, since they precede other messages.
type lastRequests struct {
	basic
	sideRequests *table.Table[FileID, lastRequest] // of side chains in the transcripts of sessions
}

func newLastRequests(c *core) *lastRequests {
	return &lastRequests{
		basic: basic{c},
		sideRequests: table.New(c.tables, tableSideRequests, table.UintKey[FileID](), func(c *table.Coder, r *lastRequest) {
			codeLastRequest(c, 1, r)
		}),
	}
}

// prepare keeps the latest request of the line's conversation. When a message starts,
// it sets the context of its cache miss.
func (p *lastRequests) prepare(l *line, e *transcript.Entry) {
	if e.Compaction == nil && e.Message == nil {
		return
	}
	inline := l.side && !l.kind.IsAgent() // a side chain in the transcript of a session
	r := l.file.request
	if inline {
		r, _ = p.sideRequests.Get(l.id)
	}
	switch {
	case e.Message == nil:
		r.set(compactedSince, r.has(requestKnown))
	case l.startsMessage:
		l.miss = missOf(&r, l.time, e)
		long := r.has(longLived)
		r = lastRequest{flags: requestKnown}
		r.set(longBefore|longLived, long)
		r.add(l.time, e)
	default:
		r.add(l.time, e)
	}
	if !inline {
		l.file.request = r
	} else if r.has(requestKnown) {
		p.sideRequests.Put(l.id, r)
	}
}

// reset drops the requests of a file.
func (p *lastRequests) reset(id FileID, _ *fileState) { p.sideRequests.Delete(id) }

func (p *lastRequests) forget(id FileID, f *fileState, _ int64) { p.reset(id, f) }

// add adds a line of a time, 0 if it is unknown. All numbers come from the last line
// with a stop reason, or else from the last line.
func (r *lastRequest) add(at int64, e *transcript.Entry) {
	m := e.Message
	r.ended = max(r.ended, seconds(at))
	if r.has(requestFinal) && !m.IsFinal() {
		return
	}
	u := &m.Usage
	r.cached = uint32(min(u.CacheRead+u.CacheWrite5m+u.CacheWrite1h, math.MaxUint32))
	r.model = modelDigest(m.Model)
	r.set(requestKnown, true)
	r.set(requestFinal, m.IsFinal())
	long := r.has(longBefore)
	if u.CacheWrite5m+u.CacheWrite1h > 0 {
		long = u.CacheWrite1h > 0
	}
	r.set(longLived, long)
}

// modelDigest returns a digest of the name of a model, by FNV-1a. It is part of the
// state, where a name could be of any length.
func modelDigest(model string) uint32 {
	h := uint32(2166136261)
	for i := range len(model) {
		h = (h ^ uint32(model[i])) * 16777619
	}
	return h
}

// codeLastRequest visits four fields, the first with the given number.
func codeLastRequest(c *table.Coder, first table.Number, r *lastRequest) {
	table.Uint(c, first, &r.ended)
	table.Uint(c, first+1, &r.cached)
	table.Uint(c, first+2, &r.model)
	table.Uint(c, first+3, &r.flags)
}
