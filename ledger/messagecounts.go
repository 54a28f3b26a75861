package ledger

import (
	"cmp"
	"strconv"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func (p *messages) countMessage(key hash64, h *heldMessage, m *transcript.Message) {
	labels := p.labelSets.Value(h.labels)
	at := &event{id: h.file, when: h.when, priced: p.details.Value(h.details).day * dayMillis, session: keyOf(h.session), source: labels.source}
	labels.model = p.bounded(p.labels.model, labels.source, m.Model, h.when)
	stop := p.bounded(p.labels.stopReason, labels.source, cmp.Or(m.StopReason, "none"), h.when)
	p.add(p.families.requests, 1, h.when, labels.source, labels.model, labels.project, labels.agent, stop)
	how := p.details.Value(h.details).requestAttributes
	p.how.count(p.core, &how, h.when, labels.source)
	labels.entrypoint = how.entrypoint
	request := pricing.Request{Model: m.Model, Time: at.priced, Fast: m.Fast, US: m.US}
	price := p.priceOf(labels.source, request)
	use := p.cacheUseOf(h, m, price)
	p.countCacheUse(h, &use, &labels)
	p.observeSizes(h, m, &labels)
	if m.Incomplete {
		p.add(p.families.incomplete, 1, h.when, labels.source, labels.model)
	}
	id := p.countNew(at, key, countedMessage{counts: h.counts, final: m.IsFinal(), incomplete: m.Incomplete}, &m.Usage, labels, request)
	p.sessions.credit(at, sessionCounts{sessionRequests: 1})
	counted := p.labelSets.Value(id)
	p.attributor.countRequest(at, &counted)
	if p.opts.OnRequest != nil {
		p.opts.OnRequest(&CountedRequest{at.when, labels.project, labels.agent, m.Model, m.Usage, p.amountOf(price, &m.Usage).Cost, use})
	}
	p.countIterations(key, m.Iterations, at, labels)
}

// countNew counts the usage and the cost of a message or an iteration, and records the
// data for later corrections. It returns the id of the labels with the price.
func (p *messages) countNew(at *event, key hash64, c countedMessage, u *transcript.Usage, labels messageLabels, r pricing.Request) uint32 {
	r.Time = at.priced
	labels.price = p.priceOf(labels.source, r)
	labels = p.limitAttributions(labels, at.when)
	p.countUsage(at, labels, *u)
	cost := p.amountOf(labels.price, u)
	p.charge(at, &labels, &cost)
	if n := p.fastPremium(labels.source, r, u); n > 0 {
		p.add(p.costs.fastPremium, n, at.when, labels.source, labels.model, labels.project, labels.agent)
	}
	c.file, c.labels = at.id, p.labelSets.ID(labels)
	if c.usage() != *u { // some number does not fit
		p.setCharge(key, &c, charge{c.counts, cost})
	}
	p.counted.Put(key, c)
	if p.isUnknown(labels.price) {
		p.setUnpriced(at, key, &labels, 0, &c.counts, r)
	}
	return c.labels
}

// countUsage adds to the counters of tokens and server tools, and to the usage
// and the totals of the line's session. The series of the main token types are created
// even where nothing is added, so that ratios have both operands.
func (p *messages) countUsage(at *event, labels messageLabels, u transcript.Usage) {
	for _, part := range [...]struct {
		name string
		n    uint64
	}{
		{"input", u.Input}, {"output", u.Output}, {"cache_read", u.CacheRead},
		{"cache_write_5m", u.CacheWrite5m}, {"cache_write_1h", u.CacheWrite1h},
	} {
		p.add(p.families.tokens, part.n, at.when, labels.source, part.name, labels.model, labels.project, labels.agent)
		if part.n > 0 {
			p.add(p.families.entrypointTokens, part.n, at.when, labels.source, nameOf(transcript.Entrypoints, labels.entrypoint), part.name)
		}
	}
	if u.Thinking > 0 {
		p.add(p.families.thinking, u.Thinking, at.when, labels.source, labels.model, labels.project, labels.agent)
	}
	if u.WebSearches > 0 {
		p.add(p.families.serverTools, u.WebSearches, at.when, labels.source, "web_search", labels.model)
	}
	if u.WebFetches > 0 {
		p.add(p.families.serverTools, u.WebFetches, at.when, labels.source, "web_fetch", labels.model)
	}
	p.attributor.countTokens(at, &labels, &u)
	p.reported.addUsage(at, labels.source, u)
	p.sessions.credit(at, sessionCounts{
		sessionInput: u.Input, sessionOutput: u.Output, sessionCacheRead: u.CacheRead,
		sessionCacheWrite5m: u.CacheWrite5m, sessionCacheWrite1h: u.CacheWrite1h,
	})
}

// correct adds the difference between a record and the counted record of its message.
// It ignores a worse record. The session is in the source of the message, where the
// difference counts.
func (p *messages) correct(at *event, key hash64, known countedMessage, m *transcript.Message) {
	p.groups.join(known.file, at.id)
	if !rankOf(m).beats(rank{known.final, uint64(known.tokens[outputTokens])}) {
		return
	}
	labels, corrected := p.labelSets.Value(known.labels), *at
	corrected.source = labels.source
	at = &corrected
	if m.Incomplete && !known.incomplete {
		p.add(p.families.incomplete, 1, at.when, labels.source, labels.model)
		known.incomplete = true
		p.counted.Put(key, known)
	}
	p.grow(at, key, known, &m.Usage, m.IsFinal(), pricing.Request{Model: m.Model, Fast: m.Fast, US: m.US})
	p.countIterations(key, m.Iterations, at, labels)
	if !known.final {
		p.observeOutput(at.when, m, &labels)
	}
}

// grow raises a counted message or iteration to the usage of another record, and counts
// the differences. The other record is priced, too, unless it repeats the last counted
// record. A message without a price is priced now, if there are prices.
func (p *messages) grow(at *event, key hash64, known countedMessage, u *transcript.Usage, final bool, r pricing.Request) {
	labels, before := p.labelSets.Value(known.labels), known
	more := known.growTo(*u)
	known.final = final
	if more != (transcript.Usage{}) {
		p.countUsage(at, labels, more)
	}
	if known != before || !p.isRepeated(key, &before, u) || labels.price == 0 && p.opts.Prices != nil {
		r.Time = at.priced
		p.reprice(at, key, &before, &known, u, r)
	}
	if known != before {
		p.counted.Put(key, known)
	}
}

// iterationAgent returns the agent under which an iteration is counted.
func iterationAgent(kind transcript.IterationKind) string {
	if kind == transcript.CompactionIteration {
		return "server_compaction"
	}
	return "advisor"
}

// countIterations counts the tokens that the iterations of a message used in addition
// to its own, under its labels except for agent and model. They are not requests.
func (p *messages) countIterations(message hash64, all []transcript.Iteration, at *event, labels messageLabels) {
	id, n := keyOf(message), make(map[transcript.IterationKind]int)
	for i := range all {
		it := &all[i]
		index := strconv.Itoa(n[it.Kind])
		n[it.Kind]++
		labels.agent, labels.model = iterationAgent(it.Kind), p.bounded(p.labels.model, labels.source, it.Model, at.when)
		labels.attribution = p.attributor.withoutAgentType(labels.attribution)
		p.countIteration(hashOf(transcript.KeyOf("iteration", string(it.Kind), string(id[:]), index)), it, at, labels)
	}
}

func (p *messages) countIteration(key hash64, i *transcript.Iteration, at *event, labels messageLabels) {
	request := pricing.Request{Model: i.Model, Fast: i.Fast, US: i.US}
	if known, again := p.counted.Get(key); again {
		p.grow(at, key, known, &i.Usage, true, request)
		return
	}
	p.countNew(at, key, countedMessage{counts: countsOf(i.Usage), final: true}, &i.Usage, labels, request)
}

// observeSizes observes the sizes of a message that is counted. The context of a
// message that states no tokens is not known.
func (p *messages) observeSizes(h *heldMessage, m *transcript.Message, labels *messageLabels) {
	if n := contextOf(&m.Usage); n > 0 {
		p.add(p.families.context, n, h.when, labels.source, labels.model)
	}
	p.observeOutput(h.when, m, labels)
}

// observeOutput observes the output of a message if m is a final record. It is called
// again only for messages that were counted without a final record.
func (p *messages) observeOutput(when int64, m *transcript.Message, labels *messageLabels) {
	if m.IsFinal() {
		p.add(p.families.output, m.Usage.Output, when, labels.source, labels.model)
	}
}
