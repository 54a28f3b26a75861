package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
)

// An unpricedMessage is a counted message without a known price, with the data to price
// it when the price becomes known: by an upgrade or a change of the configuration. Its
// cost is then counted at the time of its tokens. It is kept as long as the key of the
// message.
type unpricedMessage struct {
	session hash64 // the row in sessions.totals that has its tokens, or noSession
	when    uint32 // when they were counted, in seconds since the epoch
	request uint16 // id in prices.unpricedRequests
	later   int16  // days from then to the day whose prices apply, mostly 0
}

// An unpricedRequest is a request without a known price. The empty request means
// requests that are not kept, since there are too many or the id of the model is too
// long: it never gets a price.
type unpricedRequest struct {
	model    string
	fast, us bool
}

// maxUnpricedRequests limits them, since lines can make up any number of models.
const maxUnpricedRequests = 1 << 14

// unpricedTokens returns the number of tokens without a price in a counted record.
func (p *prices) unpricedTokens(id priceID, c *counts) uint64 {
	if !p.isUnknown(id) {
		return 0
	}
	u := c.usage()
	return contextOf(&u) + u.Output // counts are small
}

// setUnpriced records whether a message waits for a price, unless it used nothing, and
// changes its number of unpriced tokens from before to the tokens of the record.
func (p *messages) setUnpriced(at *event, key hash64, labels *messageLabels, before uint64, c *counts, r pricing.Request) {
	after := p.unpricedTokens(labels.price, c)
	if p.isUnknown(labels.price) && *c != (counts{}) {
		later := int16(dayOf(r.Time) - dayOf(at.when))
		session, _, _ := p.sessions.totals.find(at.sessionHash(), at.source)
		p.unpriced.Put(key, unpricedMessage{session, seconds(at.when), p.unpricedRequest(r), later})
	} else {
		p.unpriced.Delete(key)
	}
	switch {
	case after > before:
		p.add(p.costs.unpriced, after-before, at.when, labels.source, labels.model)
		p.sessions.credit(at, sessionCounts{sessionUnpriced: after - before})
	case after < before:
		p.set.Subtract(p.costs.unpriced, []counters.Reduction{{N: before - after, When: at.when}}, labels.source, labels.model)
		p.sessions.debitUnpriced(at, before-after)
	}
}

// unpricedRequest returns the id of a request without a price.
func (p *prices) unpricedRequest(r pricing.Request) uint16 {
	u := unpricedRequest{r.Model, r.Fast, r.US}
	if len(u.model) > maxPricedModel || !p.unpricedRequests.Has(u) && p.unpricedRequests.Len() >= maxUnpricedRequests {
		u = unpricedRequest{}
	}
	return uint16(p.unpricedRequests.ID(u))
}

// unpricedEvent returns the event that counted the tokens of the message.
func (p *messages) unpricedEvent(m *unpricedMessage, file FileID) *event {
	at := &event{id: file, when: int64(m.when) * 1000, session: keyOf(m.session), source: p.sourceOf(file)}
	if t, known := p.sessions.totals.Get(m.session); known {
		at.source = p.sessions.sourceOfSession(t)
	}
	return at
}

// An unpricedSeries identifies a series of unpriced tokens.
type unpricedSeries struct {
	source SourceLabels
	model  string
}

// priceLate prices the messages that wait for a price that the present prices have.
func (p *messages) priceLate() {
	settled := make(map[unpricedSeries][]counters.Reduction)
	for _, key := range p.dueForPrice() {
		series, tokens := p.settlePrice(key)
		settled[series] = append(settled[series], tokens)
	}
	for _, series := range slices.SortedFunc(maps.Keys(settled), func(a, b unpricedSeries) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.model, b.model))
	}) {
		p.set.Subtract(p.costs.unpriced, settled[series], series.source, series.model)
	}
}

// dueForPrice returns the messages whose price has become known, in the order of time.
func (p *messages) dueForPrice() (due []hash64) {
	if p.options.Prices == nil || p.unpriced.Len() == 0 {
		return nil
	}
	known := make([]bool, p.unpricedRequests.Len())
	for id, r := range p.unpricedRequests.Values() {
		known[id] = p.options.Prices.Has(r.model)
	}
	when := make(map[hash64]uint32)
	for key, m := range p.unpriced.All() {
		if known[m.request] {
			due, when[key] = append(due, key), m.when
		}
	}
	slices.SortFunc(due, func(a, b hash64) int { return cmp.Or(cmp.Compare(when[a], when[b]), cmp.Compare(a, b)) })
	return due
}

// settlePrice counts the cost of a message that waited for a price, by its last counted
// record. It returns how many tokens have a price now.
func (p *messages) settlePrice(key hash64) (unpricedSeries, counters.Reduction) {
	m, _ := p.unpriced.Get(key)
	c, _ := p.counted.Get(key)
	labels, record := p.labelSets.Value(c.labels), p.chargeOf(key, &c).record
	tokens := p.unpricedTokens(labels.price, &record)
	at, r, u := p.unpricedEvent(&m, c.file), p.unpricedRequests.Value(uint32(m.request)), record.usage()
	labels.price = p.priceOf(labels.source, pricing.Request{Model: r.model, Time: at.when + int64(m.later)*dayMillis, Fast: r.fast, US: r.us})
	cost := p.amountOf(labels.price, &u)
	p.charge(at, &labels, &cost)
	p.sessions.debitUnpriced(at, tokens)
	c.labels = p.labelSets.ID(labels)
	p.counted.Put(key, c)
	p.setCharge(key, &c, charge{record, cost})
	p.unpriced.Delete(key)
	return unpricedSeries{labels.source, labels.model}, counters.Reduction{N: tokens, When: at.when}
}

// isUnpricedValid reports whether the rows fit the other tables.
func (p *messages) isUnpricedValid() bool {
	for key, m := range p.unpriced.All() {
		c, counted := p.counted.Get(key)
		if !counted || int(m.request) >= p.unpricedRequests.Len() || !p.isUnknown(p.labelSets.Value(c.labels).price) {
			return false
		}
	}
	return true
}

func codeUnpriced(c *table.Coder, m *unpricedMessage) {
	codeHash(c, 1, &m.session)
	table.Uint(c, 2, &m.when)
	table.Uint(c, 3, &m.request)
	later := int(m.later)
	table.Int(c, 4, &later)
	m.later = int16(later)
}

func codeUnpricedRequest(c *table.Coder, r *unpricedRequest) {
	table.String(c, 1, &r.model)
	table.Bool(c, 2, &r.fast)
	table.Bool(c, 3, &r.us)
}
