package ledger

import (
	"unicode/utf8"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A message is priced when it is counted, as a whole: by the usage, model, day, speed
// and region of the counted record, with the prices of the options. A later, better
// record is priced too; the message costs the maximum. The labels of a message store
// its price: a correction adds exactly the difference, and later prices change no cost.
// A message without a price is kept in unpriced until its price is known. In detail:
//
//   - The date is the date of the counted line. If several lines read before the
//     message is counted have the same output, and all or no lines of them have a stop
//     reason, the earliest date and the numbers of the latest read line count. A line
//     without a usable time has another one, see line.setTimes. The price is for the
//     model of the line, even if the label is "other".
//   - An iteration of usage of the type advisor_message or compaction is priced on its
//     own, by its tokens and its date, which is the date of the message. It has the
//     model, speed and region of the message unless it states its own. It is
//     identified by the message, its type and its position among the iterations of this
//     type, and corrected like a message.
//   - A record counts later if it has the first stop reason, or not less output. It is
//     priced on its own, by the prices in effect when it is read. If its total is
//     higher than the charged amount, the difference is added to the parts that are
//     higher now, in the order input, output, cache_read, cache_write_5m,
//     cache_write_1h, web_search, until their sum is that total. Savings and premium
//     grow by their own positive differences. A record with the same tokens changes
//     nothing, unless it has the first stop reason.
//   - Of the records read before the message is counted, only the best is charged.
//   - Only parts above 0 have a series.

// A priceID identifies the price of messages: 1 + its id in prices.known. The zero
// priceID means that the message is not priced: prices were off.
type priceID uint32

// prices are the prices and charges of counted messages.
type prices struct {
	options *Options
	known   *table.Interner[pricing.Price]
	charges *table.Table[hash64, charge] // of some messages
	latest  latestPrice

	unpriced         *table.Table[hash64, unpricedMessage]
	unpricedRequests *table.Interner[unpricedRequest]
}

func newPrices(c *core) *prices {
	return &prices{
		options: c.opts, known: table.NewInterner(c.tables, tablePrices, codePrice),
		charges:          table.New(c.tables, tableCharges, table.HashKey[hash64](), codeCharge),
		unpriced:         table.NewHashed(c.tables, tableUnpriced, codeUnpriced),
		unpricedRequests: table.NewInterner(c.tables, tableUnpricedRequests, codeUnpricedRequest),
	}
}

// costFamilies are the families that grow by the cost of a message.
type costFamilies struct {
	cost, entrypointCost, cacheSavings, cacheWritePremium, cacheRewritten, fastPremium, unpriced counters.ID
}

func newCostFamilies(c *core) costFamilies {
	return costFamilies{
		entrypointCost: c.declare(priced(dollars(caveat(claudeCounter("entrypoint_cost_usd_total", "Estimated cost of API messages in US dollars by list price, by how Claude Code was started.", "entrypoint"),
			"Together they are `claude_cost_usd_total`.")))),
		cost: c.declare(priced(dollars(caveat(claudeCounter("cost_usd_total", "Estimated cost of API messages in US dollars by list price, not the bill of a subscription.", "component", "model", "project", "agent"),
			"At the price of the day of the message. It jumps when a price of `claude_unpriced_tokens` becomes known.")))),
		cacheSavings:      c.declare(priced(dollars(claudeCounter("cache_savings_usd_total", "US dollars saved by reading tokens from the prompt cache instead of sending them as input, at list price.", "model", "project", "agent")))),
		cacheWritePremium: c.declare(priced(dollars(claudeCounter("cache_write_premium_usd_total", "US dollars that writing tokens to the prompt cache costs more than sending them as input, at list price.", "model", "project", "agent")))),
		cacheRewritten: c.declare(priced(dollars(caveat(claudeCounter("cache_rewritten_cost_usd_total", "US dollars that writing tokens to the prompt cache again costs more than reading them, at list price, by reason.", "reason", "project", "agent"),
			"The cost of the tokens of `claude_cache_rewritten_tokens_total`. Without tokens whose model had no price when they were counted.")))),
		fastPremium: c.declare(priced(dollars(caveat(claudeCounter("fast_mode_premium_usd_total", "US dollars that requests in fast mode cost more than at standard speed, at list price.", "model", "project", "agent"),
			"Without requests whose model had no price when they were counted.")))),
		unpriced: c.declare(priced(level(claudeCounter("unpriced_tokens", "Tokens of models without a known price, which are missing in claude_cost_usd_total.", "model")))),
	}
}

// A latestPrice is the result of the latest call of priceOf. Consecutive messages
// mostly have the same price. Prices change at midnight only.
type latestPrice struct {
	source  SourceLabels
	request pricing.Request // Time is the day
	id      priceID
}

// maxPricedModel is the maximum length in bytes of the id of a model that has a price.
// A longer id may have been cut at a character boundary, and its beginning may be the
// id of another model.
const maxPricedModel = transcript.MaxLabel - utf8.UTFMax

// priceOf returns the present price of a request from a source.
func (p *prices) priceOf(source SourceLabels, r pricing.Request) priceID {
	if p.options.Prices == nil {
		return 0
	}
	key := r
	if key.Time = dayOf(r.Time); p.latest.id == 0 || p.latest.request != key || p.latest.source != source {
		price := pricing.Price{Unknown: true}
		if p.options.PriceMultiplier != nil {
			r.Multiplier = p.options.PriceMultiplier(source)
		}
		if len(r.Model) <= maxPricedModel {
			price = p.options.Prices.Price(r)
		}
		p.latest = latestPrice{source, key, priceID(p.known.ID(price) + 1)}
	}
	return p.latest.id
}

// reprice prices another record of a counted message, with the usage u, and counts how
// much more the message costs than its charge. It gives known, the message after the
// correction, the present price. before is the message before the correction.
func (p *messages) reprice(at *event, key hash64, before, known *countedMessage, u *transcript.Usage, r pricing.Request) {
	labels := p.labelSets.Value(before.labels)
	last := p.chargeOf(key, before)
	if m, waited := p.unpriced.Get(key); waited {
		at = p.unpricedEvent(&m, before.file)
	}
	missing := p.unpricedTokens(labels.price, &last.record)
	labels.price = p.repriced(labels, r)
	more := last.amount.growth(p.amountOf(labels.price, u))
	p.charge(at, &labels, &more)
	known.labels = p.labelSets.ID(labels)
	next := charge{countsOf(*u), last.amount.plus(more)}
	p.setCharge(key, known, next)
	p.setUnpriced(at, key, &labels, missing, &next.record, r)
}

// repriced returns the price of a message with some labels after a correction. It stays
// as it was if there are no prices now, and if the model is unknown now.
func (p *prices) repriced(labels messageLabels, r pricing.Request) priceID {
	before, present := labels.price, p.priceOf(labels.source, r)
	if before != 0 && (present == 0 || p.isUnknown(present)) {
		return before
	}
	return present
}

// isUnknown reports whether a message is priced, but its price is unknown.
func (p *prices) isUnknown(id priceID) bool { return id != 0 && p.known.Value(uint32(id-1)).Unknown }

// An amount is the cost of a message.
type amount struct{ pricing.Cost }

// amountOf returns the amount of a message with the given price, zero without a price.
func (p *prices) amountOf(id priceID, u *transcript.Usage) amount {
	if id == 0 {
		return amount{}
	}
	return amount{p.known.Value(uint32(id - 1)).Cost(pricedUsage(u))}
}

// rewriting returns the cost of tokens that a request with a price wrote to the cache
// again, zero without a price.
func (p *prices) rewriting(id priceID, u *transcript.Usage, tokens uint64) uint64 {
	if id == 0 {
		return 0
	}
	return p.known.Value(uint32(id-1)).Rewriting(pricedUsage(u), tokens)
}

// fastPremium returns how much more a request in fast mode costs than at standard
// speed: zero for other requests.
func (p *prices) fastPremium(source SourceLabels, r pricing.Request, u *transcript.Usage) uint64 {
	if !r.Fast {
		return 0
	}
	fast := p.amountOf(p.priceOf(source, r), u).Total()
	r.Fast = false
	return fast - min(fast, p.amountOf(p.priceOf(source, r), u).Total())
}

func pricedUsage(u *transcript.Usage) pricing.Usage {
	return pricing.Usage{
		Input: u.Input, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, CacheRead: u.CacheRead,
		Output: u.Output, WebSearches: u.WebSearches,
	}
}

// fields returns the parts of the cost in the order of componentNames, then the savings
// and the premium of the cache. Their indexes are persisted.
func (a *amount) fields() [8]*uint64 {
	return [...]*uint64{
		0: &a.Input, 1: &a.Output, 2: &a.CacheRead, 3: &a.CacheWrite5m, 4: &a.CacheWrite1h,
		5: &a.WebSearch, 6: &a.CacheSavings, 7: &a.CacheWritePremium,
	}
}

// componentNames are the values of the component label.
var componentNames = [6]string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "web_search"}

// growth returns the amount to add to a so that its total is the total of target, if
// this is higher. No part falls: parts that are higher in target grow in their order,
// until the total is reached. Savings and premium grow independently.
func (a amount) growth(target amount) (more amount) {
	left := target.Total() - min(target.Total(), a.Total())
	before, wanted := a.fields(), target.fields()
	for i, n := range more.fields() {
		*n = *wanted[i] - min(*wanted[i], *before[i])
		if i < len(componentNames) {
			*n = min(left, *n)
			left -= *n
		}
	}
	return more
}

// plus returns the sum of two amounts.
func (a amount) plus(more amount) amount {
	added := more.fields()
	for i, n := range a.fields() {
		*n = counters.SaturatingAdd(*n, *added[i])
	}
	return a
}

// charge counts an amount. Only parts that are not zero have series.
func (p *messages) charge(at *event, labels *messageLabels, a *amount) {
	when := at.when
	fields := a.fields()
	for i, component := range componentNames {
		if n := *fields[i]; n > 0 {
			p.add(p.costs.cost, n, when, labels.source, component, labels.model, labels.project, labels.agent)
		}
	}
	if a.CacheSavings > 0 {
		p.add(p.costs.cacheSavings, a.CacheSavings, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if a.CacheWritePremium > 0 {
		p.add(p.costs.cacheWritePremium, a.CacheWritePremium, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if a.Total() > 0 {
		p.add(p.costs.entrypointCost, a.Total(), when, labels.source, nameOf(transcript.Entrypoints, labels.entrypoint))
		p.attributor.countCost(at, labels, a.Total())
		p.sessions.credit(at, sessionCounts{sessionCost: a.Total()})
	}
}

// codePrice visits the price of messages.
func codePrice(c *table.Coder, p *pricing.Price) {
	table.Bool(c, 1, &p.Unknown)
	codeRates(c, 2, &p.Rates) // fields 2 to 6
	table.Uint(c, 7, &p.LongPrompt)
	codeRates(c, 8, &p.Long) // fields 8 to 12
	table.Uint(c, 13, &p.WebSearch)
}

// codeRates visits five fields, the first with the given number. The indexes of the
// rates are persisted: they determine the numbers of fields.
func codeRates(c *table.Coder, first table.Number, r *pricing.Rates) {
	codeNumbers(c, first, []*uint64{0: &r.Input, 1: &r.CacheWrite5m, 2: &r.CacheWrite1h, 3: &r.CacheRead, 4: &r.Output})
}
