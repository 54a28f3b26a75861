package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// An origin is the labels to which a message is counted.
type origin struct {
	model, project, agent string
	source                Source
}

// origin returns where the line is from: the labels of what it holds but for
// the model.
func (at *line) origin() origin { return origin{"", at.project, at.agent, at.source} }

// message takes in a record of an API message.
func (l *Ledger) message(at *line, m *transcript.Message) {
	if m == nil {
		return
	}
	l.context(at, m)
	if at.file.open != m.Key {
		l.overtake(at.file)
	}
	key := digestOf(m.Key)
	if known, ok := l.counted.get(key); ok {
		l.correct(at, known, m)
		return
	}
	if h := l.held.get(key); h != nil {
		l.better(key, h, m)
		l.kin.join(h.file, at.id)
		h.file = at.id
	} else {
		l.hold(key, heldMessage{file: at.id, origin: l.origins.of(at.origin()), when: at.when}, m)
	}
	at.file.open = m.Key
}

// A rank says which of two records of a message counts.
type rank struct {
	final  bool
	output uint64
}

func rankOf(m *transcript.Message) rank { return rank{m.Final(), m.Usage.Output} }

// beats reports whether a record of this rank counts rather than an earlier one.
func (r rank) beats(earlier rank) bool {
	if r.final != earlier.final {
		return r.final
	}
	return r.output >= earlier.output
}

// overtake notes that the file went on to something else: the message that
// was being written to it is ready to be counted.
func (l *Ledger) overtake(f *file) {
	if l.holds(f.open) {
		l.ready = append(l.ready, f.open)
	}
	f.open = transcript.Key{}
}

// Settle counts the messages that are final and those that were overtaken in
// their file. Until it is called they may still be replaced by a better
// record, so whoever reads much before anybody looks settles once, at the end.
// Then is also when what is remembered is packed.
func (l *Ledger) Settle() {
	l.counted.recent.reserve(len(l.ready))
	for _, k := range l.ready {
		key := digestOf(k)
		if h, m, ok := l.release(key); ok {
			l.countMessage(key, &h, &m)
		}
	}
	l.ready = l.ready[:0]
	if cap(l.ready) > manyRecent { // only a catch-up needs so many
		l.ready = nil
	}
	l.fitHeld()
	l.counted.settle()
	l.tools.settle()
	for i := range l.seen {
		l.seen[i].settle()
	}
	l.zeroFirst.settled()
}

func (l *Ledger) countMessage(key digest, h *heldMessage, m *transcript.Message) {
	u, o, when := m.Usage, l.origins.all[h.origin], h.when
	o.model = l.bounded(modelLabel, m.Model, when)
	l.addUsage(o, when, u)
	stop := m.StopReason
	if stop == "" {
		stop = "none"
	}
	l.add(requests, 1, when, o.source, o.model, o.project, o.agent, l.bounded(stopReasonLabel, stop, when))
	l.add(cacheRequests, 1, when, o.source, cacheResult(u), o.model, o.project, o.agent)
	l.counted.add(key, message{h.counts, h.file, l.origins.of(o), m.Final()})
	l.advisors(key, m.Advisors, o, when, h.file)
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
	l.kin.join(known.file, at.id)
	if !rankOf(m).beats(rank{known.final, uint64(known.output)}) {
		l.duplicate("message", at.when)
		return
	}
	o, before := l.origins.all[known.origin], known
	more := known.growTo(m.Usage)
	known.final = m.Final()
	if known != before {
		l.counted.set(digestOf(m.Key), known)
	}
	if more == (transcript.Usage{}) {
		l.duplicate("message", at.when)
	} else {
		l.addUsage(o, at.when, more)
	}
	l.advisors(digestOf(m.Key), m.Advisors, o, at.when, known.file)
}

// advisors counts what the advisors of a message used. They are no requests of
// their own: their tokens stand apart under the agent "advisor".
func (l *Ledger) advisors(of digest, all []transcript.Advisor, o origin, when int64, f FileID) {
	o.agent = "advisor"
	id := of.key()
	for i, a := range all {
		o.model = l.bounded(modelLabel, a.Model, when)
		key := digestOf(transcript.KeyOf("advisor", string(id[:]), strconv.Itoa(i)))
		known, ok := l.counted.get(key)
		if !ok {
			l.addUsage(o, when, a.Usage)
			l.counted.add(key, message{countsOf(a.Usage), f, l.origins.of(o), true})
			continue
		}
		if more := known.growTo(a.Usage); more != (transcript.Usage{}) {
			l.addUsage(l.origins.all[known.origin], when, more)
			l.counted.set(key, known)
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
