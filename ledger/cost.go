package ledger

import (
	"time"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A message is priced as a whole when it is counted: by the model, day, speed and place
// of the record that counts, with the prices of the options. Its labels remember the
// price, so that a correction adds exactly the difference, and later prices alter
// nothing that was counted.

// A priceID identifies a price that messages have: 1 + its id in Ledger.prices. The
// zero priceID means that the message is not priced: prices were off, or the version
// that counted it had none.
type priceID uint32

// A latestPrice is the result of the latest call of Ledger.priceOf. Consecutive messages
// mostly have the same. Prices change at midnight only.
type latestPrice struct {
	request pricing.Request // Time is the day
	id      priceID
}

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// dayOf returns the number of a day since the epoch, in UTC.
func dayOf(millis int64) int64 { return millis / dayMillis }

// priceOf returns the present price of a request.
func (l *Ledger) priceOf(r pricing.Request) priceID {
	if l.opts.Prices == nil {
		return 0
	}
	key := r
	if key.Time = dayOf(r.Time); l.latestPrice.id == 0 || l.latestPrice.request != key {
		l.latestPrice = latestPrice{key, priceID(l.prices.id(l.opts.Prices.Price(r)) + 1)}
	}
	return l.latestPrice.id
}

// reprice counts what a correction adds to the cost of a message, whose usage was before
// and grew by more. It returns the id of the message's labels with its present price.
func (l *Ledger) reprice(lc *lineContext, id uint32, before, more transcript.Usage, r pricing.Request) uint32 {
	labels := l.messageLabels.values[id]
	was := l.amountOf(labels.price, &before)
	price := l.repriced(labels.price, r)
	whole := plus(before, more)
	now := l.amountOf(price, &whole)
	l.charge(lc.when, &labels, &was, &now)
	if price == labels.price {
		return id
	}
	labels.price = price
	return l.messageLabels.id(labels)
}

// repriced returns the price of a corrected message that had a price before. A price is
// kept if there is no better one, and a message without one stays without.
func (l *Ledger) repriced(before priceID, r pricing.Request) priceID {
	now := l.priceOf(r)
	if before != 0 && (now == 0 || l.isUnknown(before) || l.isUnknown(now)) {
		return before
	}
	return now
}

func (l *Ledger) isUnknown(id priceID) bool { return l.prices.values[id-1].Unknown }

// An amount is what was counted for a message: its cost or, if the price of the model is
// unknown, its tokens.
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
		return amount{unpriced: sum(sum(u.Input, u.Output), sum(u.CacheRead, sum(u.CacheWrite5m, u.CacheWrite1h)))}
	default:
		return amount{Cost: l.prices.values[id-1].Cost(pricing.Usage{
			Input: u.Input, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, CacheRead: u.CacheRead,
			Output: u.Output, WebSearches: u.WebSearches,
		})}
	}
}

// plus returns the sum of two usages.
func plus(u, more transcript.Usage) transcript.Usage {
	fields := usageFields(&u)
	for i, n := range usageFields(&more) {
		*fields[i] = sum(*fields[i], *n)
	}
	return u
}

// charge counts by how much an amount has grown. Only parts that are not zero have
// series.
func (l *Ledger) charge(when int64, labels *messageLabels, before, now *amount) {
	for _, part := range [...]struct {
		component   string
		before, now uint64
	}{
		{"input", before.Input, now.Input}, {"output", before.Output, now.Output}, {"cache_read", before.CacheRead, now.CacheRead},
		{"cache_write_5m", before.CacheWrite5m, now.CacheWrite5m}, {"cache_write_1h", before.CacheWrite1h, now.CacheWrite1h},
		{"web_search", before.WebSearch, now.WebSearch},
	} {
		if part.now > part.before {
			l.add(cost, part.now-part.before, when, labels.source, part.component, labels.model, labels.project, labels.agent)
		}
	}
	if now.CacheSavings > before.CacheSavings {
		l.add(cacheSavings, now.CacheSavings-before.CacheSavings, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if now.CacheWritePremium > before.CacheWritePremium {
		l.add(cacheWritePremium, now.CacheWritePremium-before.CacheWritePremium, when, labels.source, labels.model, labels.project, labels.agent)
	}
	if now.unpriced > before.unpriced {
		l.add(unpricedTokens, now.unpriced-before.unpriced, when, labels.source, labels.model)
	}
}
