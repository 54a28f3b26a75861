package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// An origin is the labels to which a message is counted.
type messageLabels struct {
	model, project, agent string
	source                SourceLabels
}

// origin returns where the line is from: the labels of what it holds but for
// the model.
func (lc *lineContext) labels() messageLabels { return messageLabels{"", lc.project, lc.agent, lc.source} }

// message takes in a record of an API message.
func (l *Ledger) message(lc *lineContext, m *transcript.Message) {
	if m == nil {
		return
	}
	l.context(lc, m)
	begins := lc.file.message != m.Key
	if begins {
		l.overtake(lc.file)
		lc.file.message = m.Key
	}
	key := hashOf(m.Key)
	if known, ok := l.counted.Get(key); ok {
		l.copied(lc, begins, m, known.file, known.final)
		l.correct(lc, known, m)
		return
	}
	if h := l.held.Get(key); h != nil {
		l.copied(lc, begins, m, h.file, l.outcomes.values[h.outcome].stop != "")
		l.better(key, h, m)
		l.groups.join(h.file, lc.id)
		h.file = lc.id
	} else {
		l.hold(key, heldMessage{
			file: lc.id, labels: l.messageLabels.id(lc.labels()), when: lc.when, session: lc.sessionHash(),
		}, m)
	}
	lc.file.set(fileOpen, true)
}

// copied counts a duplicate when lines begin that state a known message. The lines in
// which a file states a message follow each other, so further ones are no copy; nor
// is a final line that comes after lines of another message.
func (l *Ledger) copied(lc *lineContext, begins bool, m *transcript.Message, known FileID, final bool) {
	lc.file.set(fileHasCopies, lc.file.is(fileHasCopies) || known != lc.id)
	if begins && (known != lc.id || final || !m.IsFinal()) {
		l.duplicate("message", lc.when)
	}
}

// A rank says which of two records of a message counts.
type rank struct {
	final  bool
	output uint64
}

func rankOf(m *transcript.Message) rank { return rank{m.IsFinal(), m.Usage.Output} }

// beats reports whether a record of this rank counts rather than an earlier one.
func (r rank) beats(earlier rank) bool {
	if r.final != earlier.final {
		return r.final
	}
	return r.output >= earlier.output
}

// overtake notes that the file went on to something else: the message that
// was being written to it is ready to be counted.
func (l *Ledger) overtake(f *fileState) {
	if l.holds(f.openMessage()) {
		l.ready = append(l.ready, f.message)
	}
	f.set(fileOpen, false)
}

// manyReady is how many messages may be ready at once outside of a catch-up.
const manyReady = 1 << 12

// Settle counts the messages that are final and those that were overtaken in
// their file. Until it is called they may still be replaced by a better
// record, so whoever reads much before anybody looks settles once, at the end.
// It also compacts the dedup keys.
func (l *Ledger) Settle() {
	l.zeroFirst.next()
	l.counted.Reserve(len(l.ready))
	for _, k := range l.ready {
		key := hashOf(k)
		if h, m, ok := l.release(key); ok {
			l.countMessage(key, &h, &m)
		}
	}
	l.ready = l.ready[:0]
	if cap(l.ready) > manyReady { // only a catch-up needs so many
		l.ready = nil
	}
	l.fitHeld()
	l.counted.Compact()
	l.tools.Compact()
	for i := range l.seen {
		l.seen[i].Compact()
	}
	l.reported.Compact()
	l.usage.Compact()
	l.zeroFirst.markExposed()
}

func (l *Ledger) countMessage(key hash64, h *heldMessage, m *transcript.Message) {
	u, o, when := m.Usage, l.messageLabels.values[h.labels], h.when
	o.model = l.bounded(modelLabel, m.Model, when)
	l.addUsage(o, when, u)
	l.addSessionUsage(h.session, h.file, o.source, when, u)
	stop := m.StopReason
	if stop == "" {
		stop = "none"
	}
	l.add(requests, 1, when, o.source, o.model, o.project, o.agent, l.bounded(stopReasonLabel, stop, when))
	l.add(cacheRequests, 1, when, o.source, cacheResult(u), o.model, o.project, o.agent)
	l.counted.Add(key, countedMessage{h.counts, h.file, l.messageLabels.id(o), m.IsFinal()})
	l.iterations(key, m.Iterations, &lineContext{id: h.file, when: when, session: keyOf(h.session)}, o)
}

// addUsage adds to the counters of tokens and server tools. The main ones
// stand at zero even where nothing is added, so that no ratio lacks a side.
func (l *Ledger) addUsage(o messageLabels, when int64, u transcript.Usage) {
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
func (l *Ledger) correct(lc *lineContext, known countedMessage, m *transcript.Message) {
	l.groups.join(known.file, lc.id)
	if !rankOf(m).beats(rank{known.final, uint64(known.output)}) {
		return
	}
	o, before := l.messageLabels.values[known.labels], known
	more := known.growTo(m.Usage)
	known.final = m.IsFinal()
	if known != before {
		l.counted.Set(hashOf(m.Key), known)
	}
	if more != (transcript.Usage{}) {
		l.addUsage(o, lc.when, more)
		l.addSessionUsage(lc.sessionHash(), lc.id, o.source, lc.when, more)
	}
	l.iterations(hashOf(m.Key), m.Iterations, lc, o)
}

// iterationAgent returns the agent under which an iteration is counted.
func iterationAgent(kind transcript.IterationKind) string {
	if kind == transcript.CompactionIteration {
		return "server_compaction"
	}
	return "advisor"
}

// iterations counts the tokens that the iterations of a message used besides its own,
// under the labels of that message but for agent and model. They are no requests.
func (l *Ledger) iterations(of hash64, all []transcript.Iteration, lc *lineContext, message messageLabels) {
	id, n := keyOf(of), make(map[transcript.IterationKind]int)
	for _, i := range all {
		place := strconv.Itoa(n[i.Kind])
		n[i.Kind]++
		message.agent, message.model = iterationAgent(i.Kind), l.bounded(modelLabel, i.Model, lc.when)
		l.iteration(hashOf(transcript.KeyOf("iteration", string(i.Kind), string(id[:]), place)), i.Usage, lc, message)
	}
}

func (l *Ledger) iteration(key hash64, u transcript.Usage, lc *lineContext, o messageLabels) {
	known, again := l.counted.Get(key)
	more := u
	if again {
		more, o = known.growTo(u), l.messageLabels.values[known.labels]
	}
	switch {
	case !again:
		l.counted.Add(key, countedMessage{countsOf(u), lc.id, l.messageLabels.id(o), true})
	case more != (transcript.Usage{}):
		l.counted.Set(key, known)
	default:
		return
	}
	l.addUsage(o, lc.when, more)
	l.addSessionUsage(lc.sessionHash(), lc.id, o.source, lc.when, more)
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
