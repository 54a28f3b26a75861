package ledger

import (
	"time"
	"unicode/utf8"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A message is priced as a whole when it is counted: by the usage, model, day, speed
// and place of the record that counts, with the prices of the options. A better record
// that follows is priced in the same way, and the message costs what the most expensive
// of them does. Its labels remember the price, see charge too: a correction adds
// exactly the difference, and later prices alter nothing that was counted.

// A priceID identifies a price that messages have: 1 + its id in Ledger.prices. The
// zero priceID means that the message is not priced: prices were off, or the version
// that counted it had none.
type priceID uint32

// A latestPrice is the result of the latest call of Ledger.priceOf. Consecutive
// messages mostly have the same. Prices change at midnight only.
type latestPrice struct {
	request pricing.Request // Time is the day
	id      priceID
}

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// dayOf returns the number of a day since the epoch, in UTC.
func dayOf(millis int64) int64 { return millis / dayMillis }

// maxPricedModel is the maximum length in bytes of the id of a model that has a price.
// A longer one may have been cut at a character boundary, and what is left of it may be
// the id of another model.
const maxPricedModel = transcript.MaxLabel - utf8.UTFMax

// priceOf returns the present price of a request.
func (l *Ledger) priceOf(r pricing.Request) priceID {
	if l.opts.Prices == nil {
		return 0
	}
	key := r
	if key.Time = dayOf(r.Time); l.latestPrice.id == 0 || l.latestPrice.request != key {
		price := pricing.Price{Unknown: true}
		if len(r.Model) <= maxPricedModel {
			price = l.opts.Prices.Price(r)
		}
		l.latestPrice = latestPrice{key, priceID(l.prices.id(price) + 1)}
	}
	return l.latestPrice.id
}

// reprice prices another record of a counted message, with the usage u, and counts by
// how much the message costs more than was charged for it. It gives known, the message
// after the correction, the present price. before is the message before it.
func (l *Ledger) reprice(lc *lineContext, key hash64, before, known *countedMessage, u *transcript.Usage, r pricing.Request) {
	labels := l.messageLabels.values[before.labels]
	was := l.chargeOf(key, before).amount
	labels.price = l.repriced(labels.price, r)
	more := was.growth(l.amountOf(labels.price, u))
	l.charge(lc, &labels, &more)
	known.labels = l.messageLabels.id(labels)
	l.setCharge(key, known, charge{countsOf(*u), was.plus(more)})
}

// repriced returns the price of a message after a correction. It stays as it was if
// there are no prices now, and if the model is unknown now or was before.
func (l *Ledger) repriced(before priceID, r pricing.Request) priceID {
	now := l.priceOf(r)
	if before != 0 && (now == 0 || l.isUnknown(before) || l.isUnknown(now)) {
		return before
	}
	return now
}

func (l *Ledger) isUnknown(id priceID) bool { return l.prices.values[id-1].Unknown }

// An amount is what was counted for a message: its cost or, if the price of the model
// is unknown, its tokens.
type amount struct {
	pricing.Cost
	unpriced uint64 // tokens
}

// amountOf returns the amount of a message with the given price. It is zero for a
// message that is not priced.
func (l *Ledger) amountOf(id priceID, u *transcript.Usage) amount {
	switch {
	case id == 0:
		return amount{}
	case l.isUnknown(id):
		return amount{unpriced: SaturatingAdd(SaturatingAdd(u.Input, u.Output), SaturatingAdd(u.CacheRead, SaturatingAdd(u.CacheWrite5m, u.CacheWrite1h)))}
	default:
		return amount{Cost: l.prices.values[id-1].Cost(pricing.Usage{
			Input: u.Input, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, CacheRead: u.CacheRead,
			Output: u.Output, WebSearches: u.WebSearches,
		})}
	}
}

// components returns the parts of the cost, in the order of componentNames.
func (a *amount) components() [6]*uint64 {
	return [...]*uint64{&a.Input, &a.Output, &a.CacheRead, &a.CacheWrite5m, &a.CacheWrite1h, &a.WebSearch}
}

// others returns the numbers that are not parts of the cost.
func (a *amount) others() [3]*uint64 {
	return [...]*uint64{&a.CacheSavings, &a.CacheWritePremium, &a.unpriced}
}

// componentNames are the values of the component label.
var componentNames = [6]string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "web_search"}

// growth returns what to add to an amount so that its total is that of now, if that is
// higher. No part falls: parts that are higher now grow in their order, until the total
// is reached.
func (a amount) growth(now amount) (more amount) {
	left := now.Total() - min(now.Total(), a.Total())
	was, wanted := a.components(), now.components()
	for i, n := range more.components() {
		*n = min(left, *wanted[i]-min(*wanted[i], *was[i]))
		left -= *n
	}
	wasOther, wantedOther := a.others(), now.others()
	for i, n := range more.others() {
		*n = *wantedOther[i] - min(*wantedOther[i], *wasOther[i])
	}
	return more
}

// plus returns the sum of two amounts.
func (a amount) plus(more amount) amount {
	added := more.components()
	for i, n := range a.components() {
		*n = SaturatingAdd(*n, *added[i])
	}
	addedOther := more.others()
	for i, n := range a.others() {
		*n = SaturatingAdd(*n, *addedOther[i])
	}
	return a
}

// charge counts an amount. Only parts that are not zero have series.
func (l *Ledger) charge(lc *lineContext, labels *messageLabels, a *amount) {
	when := lc.when
	for i, n := range a.components() {
		if *n > 0 {
			l.add(cost, *n, when, labels.source, componentNames[i], labels.model, labels.project, labels.agent)
		}
	}
	if a.CacheSavings > 0 {
		l.add(cacheSavings, a.CacheSavings, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if a.CacheWritePremium > 0 {
		l.add(cacheWritePremium, a.CacheWritePremium, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if a.unpriced > 0 {
		l.add(unpricedTokens, a.unpriced, when, labels.source, labels.model)
	}
	l.chargeAttributed(lc, labels, a.Total())
	if *a != (amount{}) {
		l.credit(lc, sessionCounts{sessionCost: a.Total(), sessionUnpriced: a.unpriced})
	}
}
