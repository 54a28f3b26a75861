package ledger

import (
	"math"
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// An origin is the labels to which a message is counted.
type origin struct {
	model, project, agent string
	source                Source
}

// A heldMessage is a message that is not counted yet: the best of its records,
// and where and when it was first seen.
type heldMessage struct {
	best   transcript.Message
	file   FileID
	origin origin // without the model, which is best's
	when   int64
}

// A message is what must be known of a counted one to add what a better record
// has more of. A message is one of hundreds of thousands, so it is small.
type message struct {
	input, output, read, write5m, write1h, thinking, searches, fetches uint32
	origin                                                             uint32
	file                                                               FileID
	final                                                              bool
}

// message takes in a record of an API message.
func (l *Ledger) message(at *line, m *transcript.Message) {
	if m == nil {
		return
	}
	l.context(at, m)
	if at.file.open != m.Key {
		l.overtake(at.file)
	}
	if known, ok := l.counted[m.Key]; ok {
		l.correct(at, known, m)
		return
	}
	h := l.held[m.Key]
	if h == nil {
		h = &heldMessage{best: *m, origin: origin{"", at.project, at.agent, at.source}, when: at.when}
		l.held[m.Key] = h
		if m.Final() {
			l.ready = append(l.ready, m.Key)
		}
	} else if outranks(m, &h.best) {
		if m.Final() && !h.best.Final() {
			l.ready = append(l.ready, m.Key)
		}
		h.best = *m
	}
	h.file = at.file.ID
	at.file.open = m.Key
}

// outranks reports whether record a of a message counts rather than an earlier
// record b.
func outranks(a, b *transcript.Message) bool {
	if a.Final() != b.Final() {
		return a.Final()
	}
	return a.Usage.Output >= b.Usage.Output
}

// overtake notes that the file went on to something else: the message that
// was being written to it is ready to be counted.
func (l *Ledger) overtake(f *file) {
	if l.held[f.open] != nil {
		l.ready = append(l.ready, f.open)
	}
	f.open = transcript.Key{}
}

// Settle counts the messages that are final and those that were overtaken in
// their file. Until it is called they may still be replaced by a better
// record, so whoever reads much before anybody looks settles once, at the end.
func (l *Ledger) Settle() {
	for _, key := range l.ready {
		if h := l.held[key]; h != nil {
			delete(l.held, key)
			l.countMessage(key, h)
		}
	}
	l.ready = l.ready[:0]
}

func (l *Ledger) countMessage(key transcript.Key, h *heldMessage) {
	u, o, when := h.best.Usage, h.origin, h.when
	o.model = l.bounded("model", h.best.Model, when)
	l.addUsage(o, when, u)
	stop := h.best.StopReason
	if stop == "" {
		stop = "none"
	}
	l.add(requests, 1, when, o.source, o.model, o.project, o.agent, l.bounded("stop_reason", stop, when))
	l.add(cacheRequests, 1, when, o.source, cacheResult(u), o.model, o.project, o.agent)
	l.counted[key] = compact(u, l.number(o), h.file, h.best.Final())
	l.advisors(key, h.best.Advisors, o, when, h.file)
}

// addUsage adds to the counters of tokens and server tools. The main ones
// stand at zero even where nothing is added, so that no ratio lacks a side.
func (l *Ledger) addUsage(o origin, when int64, u transcript.Usage) {
	for _, part := range [...]struct {
		name string
		n    uint64
	}{
		{"input", u.Input}, {"output", u.Output}, {"cache_read", u.CacheRead},
		{"cache_write_5m", u.CacheWrite5m}, {"cache_write_1h", u.CacheWrite1h},
	} {
		l.add(tokens, part.n, when, o.source, part.name, o.model, o.project, o.agent)
	}
	if u.Thinking > 0 {
		l.add(thinkingTokens, u.Thinking, when, o.source, o.model, o.project, o.agent)
	}
	if u.WebSearches > 0 {
		l.add(serverToolRequests, u.WebSearches, when, o.source, "web_search", o.model)
	}
	if u.WebFetches > 0 {
		l.add(serverToolRequests, u.WebFetches, when, o.source, "web_fetch", o.model)
	}
}

// correct adds what a record has more of than what was counted of its message,
// unless the record is not as good as the one that was counted.
func (l *Ledger) correct(at *line, known message, m *transcript.Message) {
	u := m.Usage
	better := m.Final() && !known.final || m.Final() == known.final && u.Output >= uint64(known.output)
	known.file = at.file.ID
	if !better {
		l.counted[m.Key] = known
		l.duplicate("message", at.when)
		return
	}
	o := l.origins[known.origin]
	more := known.growTo(u)
	known.final = known.final || m.Final()
	l.counted[m.Key] = known
	if more == (transcript.Usage{}) {
		l.duplicate("message", at.when)
	} else {
		l.addUsage(o, at.when, more)
	}
	l.advisors(m.Key, m.Advisors, o, at.when, known.file)
}

// advisors counts what the advisors of a message used. They are no requests of
// their own: their tokens stand apart under the agent "advisor".
func (l *Ledger) advisors(key transcript.Key, all []transcript.Advisor, o origin, when int64, f FileID) {
	o.agent = "advisor"
	for i, a := range all {
		o.model = l.bounded("model", a.Model, when)
		k := transcript.KeyOf("advisor", string(key[:]), strconv.Itoa(i))
		known, ok := l.counted[k]
		if !ok {
			l.addUsage(o, when, a.Usage)
			l.counted[k] = compact(a.Usage, l.number(o), f, true)
			continue
		}
		if more := known.growTo(a.Usage); more != (transcript.Usage{}) {
			l.addUsage(l.origins[known.origin], when, more)
			l.counted[k] = known
		}
	}
}

func cacheResult(u transcript.Usage) string {
	switch {
	case u.CacheRead > 0:
		return "hit"
	case u.CacheWrite5m+u.CacheWrite1h > 0:
		return "miss"
	default:
		return "uncached"
	}
}

// number returns the number of an origin, so that a message need not hold it.
func (l *Ledger) number(o origin) uint32 {
	n, ok := l.originNumbers[o]
	if !ok {
		n = uint32(len(l.origins)) //nolint:gosec // bounded by the limits of the labels
		l.origins = append(l.origins, o)
		l.originNumbers[o] = n
	}
	return n
}

func compact(u transcript.Usage, origin uint32, f FileID, final bool) message {
	m := message{origin: origin, file: f, final: final}
	m.growTo(u)
	return m
}

// growTo raises the message's counts to those of u and returns by how much
// each grew. The two lifetimes of cache writes grow by what their sum grows:
// a better record may only move writes from one to the other. A count of 2^32
// or more is kept as the largest number there is and cannot grow further.
func (m *message) growTo(u transcript.Usage) transcript.Usage {
	var more transcript.Usage
	more.Input = grow(&m.input, u.Input)
	more.Output = grow(&m.output, u.Output)
	more.CacheRead = grow(&m.read, u.CacheRead)
	more.Thinking = grow(&m.thinking, u.Thinking)
	more.WebSearches = grow(&m.searches, u.WebSearches)
	more.WebFetches = grow(&m.fetches, u.WebFetches)
	if old, now := uint64(m.write5m)+uint64(m.write1h), u.CacheWrite5m+u.CacheWrite1h; now > old {
		more.CacheWrite1h = grow(&m.write1h, min(u.CacheWrite1h, uint64(m.write1h)+now-old))
		more.CacheWrite5m = grow(&m.write5m, uint64(m.write5m)+now-old-more.CacheWrite1h)
	}
	return more
}

func grow(have *uint32, want uint64) uint64 {
	if want <= uint64(*have) || *have == math.MaxUint32 {
		return 0
	}
	more := want - uint64(*have)
	*have = uint32(min(want, math.MaxUint32)) //nolint:gosec // bounded by min
	return more
}
