package ledger

import (
	"maps"
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
		h = &heldMessage{best: *m, file: at.file.ID, origin: origin{"", at.project, at.agent, at.source}, when: at.when}
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
	l.kin.join(h.file, at.file.ID)
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
	l.shrink()
}

// manyReady is how many messages are counted at once only after a catch-up.
const manyReady = 1 << 10

// shrink gives back what only a catch-up needed: a map keeps the room that it
// had when it was at its largest, and one that has grown bit by bit has more
// than it needs.
func (l *Ledger) shrink() {
	if cap(l.ready) <= manyReady {
		return
	}
	l.ready = nil
	l.held, l.counted = fitted(l.held), fitted(l.counted)
	l.calls, l.orphans, l.paired = fitted(l.calls), fitted(l.orphans), fitted(l.paired)
	for i := range l.seen {
		l.seen[i] = fitted(l.seen[i])
	}
}

// fitted returns the map in no more room than it needs. (A clone would have as
// much as the original.)
func fitted[M ~map[K]V, K comparable, V any](m M) M {
	small := make(M, len(m))
	maps.Copy(small, m)
	return small
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
	final := known.origin.final()
	better := m.Final() && !final || m.Final() == final && u.Output >= uint64(known.output)
	l.kin.join(known.file, at.file.ID)
	if !better {
		l.duplicate("message", at.when)
		return
	}
	o := l.origins[known.origin.index()]
	more := known.growTo(u)
	if m.Final() {
		known.origin |= finalBit
	}
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
			l.addUsage(l.origins[known.origin.index()], when, more)
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
