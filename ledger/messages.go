package ledger

import (
	"cmp"
	"strconv"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// messageLabels are the labels under which a message is counted.
type messageLabels struct {
	model, project, agent string
	source                SourceLabels
	price                 priceID // 0 before the message is counted
	timed                 bool    // the time of the request was observed, see requestTiming
	attribution           attributionID
}

// labels returns the labels of the line's contents, except for the model.
func (lc *lineContext) labels() messageLabels {
	return messageLabels{project: lc.project, agent: lc.agent, source: lc.source, attribution: lc.attribution}
}

// message processes a record of an API message.
func (l *Ledger) message(lc *lineContext, m *transcript.Message) {
	if m == nil {
		return
	}
	l.setContextSize(lc, m)
	begins := lc.file.message != m.Key
	if begins {
		l.supersede(lc.file)
		lc.file.message = m.Key
	}
	key := hashOf(m.Key)
	if known, ok := l.counted.Get(key); ok {
		l.countCopy(lc, begins, m, known.file, known.final)
		l.correct(lc, known, m)
		return
	}
	if h := l.held.Get(key); h != nil {
		l.countCopy(lc, begins, m, h.file, l.outcomes.values[h.outcome].stopReason != "")
		l.improve(key, h, m, lc.when, circumstancesOf(lc.file, m))
		l.groups.join(h.file, lc.id)
		h.file = lc.id
	} else {
		l.hold(key, heldMessage{
			file: lc.id, labels: l.messageLabels.id(l.limitAttributions(lc.labels(), lc.when)), when: lc.when, session: lc.sessionHash(), miss: lc.miss,
		}, m, circumstancesOf(lc.file, m))
	}
	lc.file.set(fileOpen, true)
}

// countCopy counts a duplicate if the line is the first of a copy of a known message.
// The lines of a message follow each other in a file, so later ones are not copies, and
// neither is a final line that comes after lines of another message.
func (l *Ledger) countCopy(lc *lineContext, begins bool, m *transcript.Message, known FileID, final bool) {
	lc.file.set(fileHasCopies, lc.file.is(fileHasCopies) || known != lc.id)
	if begins && (known != lc.id || final || !m.IsFinal()) {
		l.duplicate("message", lc.when)
	}
}

// A rank determines which of two records of a message counts.
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

// supersede records that the file continues with something else: the message that was
// being written to it is ready to be counted.
func (l *Ledger) supersede(f *fileState) {
	if h := l.heldMessage(f.openMessage()); h != nil {
		l.ready = append(l.ready, f.message)
		l.completeCircumstances(h)
	}
	f.set(fileOpen, false)
}

const (
	// manyReady is the capacity of Ledger.ready that is kept after a catch-up.
	manyReady = 1 << 12
	// compactEvery is the number of messages after which Settle compacts the dedup keys.
	compactEvery = 1 << 10
)

// Settle counts the messages that are final and those that were superseded in their
// file. Until then a better record can still replace them, so a catch-up, during which
// the counters are not exposed, settles once at its end.
func (l *Ledger) Settle() {
	l.zeroFirst.next()
	for i, k := range l.ready {
		key := hashOf(k)
		if h, m, ok := l.release(key); ok {
			l.countMessage(key, &h, &m)
		}
		if i%compactEvery == compactEvery-1 {
			l.compact()
		}
	}
	l.ready = l.ready[:0]
	if cap(l.ready) > manyReady {
		l.ready = nil
	}
	l.shrinkHeld()
	l.compact()
	l.shrink()
	l.zeroFirst.markExposed()
}

func (l *Ledger) countMessage(key hash64, h *heldMessage, m *transcript.Message) {
	lc := &lineContext{id: h.file, when: h.when, priced: l.recordDay(h) * dayMillis, session: keyOf(h.session)}
	labels := l.messageLabels.values[h.labels]
	labels.model = l.bounded(modelLabel, m.Model, h.when)
	stop := l.bounded(stopReasonLabel, cmp.Or(m.StopReason, "none"), h.when)
	l.add(requests, 1, h.when, labels.source, labels.model, labels.project, labels.agent, stop)
	l.add(cacheRequests, 1, h.when, labels.source, cacheResult(m.Usage), labels.model, labels.project, labels.agent)
	l.countCircumstances(&l.outcomes.values[h.outcome].circumstances, h.when, labels.source)
	l.countMiss(h, m, &labels)
	l.observeSizes(h, m, &labels)
	request := pricing.Request{Model: m.Model, Fast: m.Fast, US: m.US}
	id := l.countNew(lc, key, countedMessage{counts: h.counts, final: m.IsFinal()}, &m.Usage, labels, request)
	l.creditRequest(lc, id, contextOf(&m.Usage))
	l.countAttributedRequest(lc, &l.messageLabels.values[id])
	l.iterations(key, m.Iterations, lc, labels)
}

// countNew counts the usage and the cost of a message or an iteration, and records what
// later corrections need. It returns the id of the labels with the price.
func (l *Ledger) countNew(lc *lineContext, key hash64, c countedMessage, u *transcript.Usage, labels messageLabels, r pricing.Request) uint32 {
	r.Time = lc.priced
	labels.price = l.priceOf(r)
	labels = l.limitAttributions(labels, lc.when)
	l.countUsage(lc, labels, *u)
	now := l.amountOf(labels.price, u)
	l.charge(lc, &labels, &now)
	c.file, c.labels = lc.id, l.messageLabels.id(labels)
	if c.usage() != *u { // some number does not fit
		l.setCharge(key, &c, charge{c.counts, now})
	}
	l.counted.Add(key, c)
	return c.labels
}

// countUsage adds to the counters of tokens and server tools, and to the usage
// and the totals of the line's session. The series of the main token types are created
// even where nothing is added, so that ratios have both operands.
func (l *Ledger) countUsage(lc *lineContext, labels messageLabels, u transcript.Usage) {
	for _, part := range [...]struct {
		name string
		n    uint64
	}{
		{"input", u.Input}, {"output", u.Output}, {"cache_read", u.CacheRead},
		{"cache_write_5m", u.CacheWrite5m}, {"cache_write_1h", u.CacheWrite1h},
	} {
		l.add(tokens, part.n, lc.when, labels.source, part.name, labels.model, labels.project, labels.agent)
	}
	if u.Thinking > 0 {
		l.add(thinkingTokens, u.Thinking, lc.when, labels.source, labels.model, labels.project, labels.agent)
	}
	if u.WebSearches > 0 {
		l.add(serverToolRequests, u.WebSearches, lc.when, labels.source, "web_search", labels.model)
	}
	if u.WebFetches > 0 {
		l.add(serverToolRequests, u.WebFetches, lc.when, labels.source, "web_fetch", labels.model)
	}
	l.countAttributedTokens(lc, &labels, &u)
	l.addSessionUsage(lc, labels.source, u)
	l.credit(lc, sessionCounts{
		sessionInput: u.Input, sessionOutput: u.Output, sessionCacheRead: u.CacheRead,
		sessionCacheWrite5m: u.CacheWrite5m, sessionCacheWrite1h: u.CacheWrite1h,
	})
}

// correct adds the difference between a record and the counted record of its message.
// It ignores a worse record.
func (l *Ledger) correct(lc *lineContext, known countedMessage, m *transcript.Message) {
	l.groups.join(known.file, lc.id)
	if !rankOf(m).beats(rank{known.final, uint64(known.tokens[outputTokens])}) {
		return
	}
	key, labels := hashOf(m.Key), l.messageLabels.values[known.labels]
	l.grow(lc, key, known, &m.Usage, m.IsFinal(), pricing.Request{Model: m.Model, Fast: m.Fast, US: m.US})
	l.iterations(key, m.Iterations, lc, labels)
	if !known.final {
		l.observeOutput(lc.when, m, &labels)
	}
}

// grow raises a counted message or iteration to the usage of another record, and counts
// the differences. The other record is priced, too, unless it repeats the one that
// counted last. A message without a price is priced now, if there are prices.
func (l *Ledger) grow(lc *lineContext, key hash64, known countedMessage, u *transcript.Usage, final bool, r pricing.Request) {
	labels, before := l.messageLabels.values[known.labels], known
	more := known.growTo(*u)
	known.final = final
	if more != (transcript.Usage{}) {
		l.countUsage(lc, labels, more)
	}
	if known != before || !l.isRepeated(key, &before, u) || labels.price == 0 && l.opts.Prices != nil {
		r.Time = lc.priced
		l.reprice(lc, key, &before, &known, u, r)
	}
	if known != before {
		l.counted.Set(key, known)
	}
}

// iterationAgent returns the agent under which an iteration is counted.
func iterationAgent(kind transcript.IterationKind) string {
	if kind == transcript.CompactionIteration {
		return "server_compaction"
	}
	return "advisor"
}

// iterations counts the tokens that the iterations of a message used in addition to its
// own, under its labels except for agent and model. They are not requests.
func (l *Ledger) iterations(message hash64, all []transcript.Iteration, lc *lineContext, labels messageLabels) {
	id, n := keyOf(message), make(map[transcript.IterationKind]int)
	for i := range all {
		it := &all[i]
		index := strconv.Itoa(n[it.Kind])
		n[it.Kind]++
		labels.agent, labels.model = iterationAgent(it.Kind), l.bounded(modelLabel, it.Model, lc.when)
		labels.attribution = l.withoutAgentType(labels.attribution)
		l.iteration(hashOf(transcript.KeyOf("iteration", string(it.Kind), string(id[:]), index)), it, lc, labels)
	}
}

func (l *Ledger) iteration(key hash64, i *transcript.Iteration, lc *lineContext, labels messageLabels) {
	request := pricing.Request{Model: i.Model, Fast: i.Fast, US: i.US}
	if known, again := l.counted.Get(key); again {
		l.grow(lc, key, known, &i.Usage, true, request)
		return
	}
	l.countNew(lc, key, countedMessage{counts: countsOf(i.Usage), final: true}, &i.Usage, labels, request)
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
