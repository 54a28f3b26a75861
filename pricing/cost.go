package pricing

import (
	"math"
	"math/bits"
)

// Cost returns the cost of a request. Each amount is an exact product, rounded half up;
// an amount that does not fit is the largest number.
func (p Price) Cost(u Usage) Cost {
	r := p.ratesOf(u)
	return Cost{
		Input:        product(u.Input, r.Input).amount(),
		CacheWrite5m: product(u.CacheWrite5m, r.CacheWrite5m).amount(),
		CacheWrite1h: product(u.CacheWrite1h, r.CacheWrite1h).amount(),
		CacheRead:    product(u.CacheRead, r.CacheRead).amount(),
		Output:       product(u.Output, r.Output).amount(),
		WebSearch:    product(u.WebSearches, p.WebSearch).amount(),

		CacheSavings: product(u.CacheRead, excess(r.Input, r.CacheRead)).amount(),
		CacheWritePremium: product(u.CacheWrite5m, excess(r.CacheWrite5m, r.Input)).
			plus(product(u.CacheWrite1h, excess(r.CacheWrite1h, r.Input))).amount(),
	}
}

// ratesOf returns the rates of a request.
func (p Price) ratesOf(u Usage) Rates {
	if p.LongPrompt > 0 && u.prompt() > p.LongPrompt {
		return p.Long
	}
	return p.Rates
}

// Rewriting returns how much more a request cost because it wrote a number of its
// tokens to the cache, and did not read them there, in 10^-9 US dollars. If the request
// wrote with both lifetimes, these tokens are first the tokens for five minutes, which
// are cheaper: the amount is a lower bound.
func (p Price) Rewriting(u Usage, rewritten uint64) uint64 {
	r := p.ratesOf(u)
	short := min(rewritten, u.CacheWrite5m)
	long := min(rewritten-short, u.CacheWrite1h)
	return product(short, excess(r.CacheWrite5m, r.CacheRead)).
		plus(product(long, excess(r.CacheWrite1h, r.CacheRead))).amount()
}

// prompt returns the number of prompt tokens: input, cache writes and cache reads.
func (u Usage) prompt() uint64 {
	return add(add(u.Input, u.CacheRead), add(u.CacheWrite5m, u.CacheWrite1h))
}

// Total returns the sum of the parts of the request. Savings and premium are not parts.
func (c Cost) Total() uint64 {
	return add(add(add(c.Input, c.Output), add(c.CacheRead, c.WebSearch)), add(c.CacheWrite5m, c.CacheWrite1h))
}

// add returns a + b, or the largest number if that does not fit.
func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry > 0 {
		return math.MaxUint64
	}
	return sum
}

// excess returns a - b, or 0 if b is larger.
func excess(a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}

// A uint128 is an exact amount, in 10^-12 US dollars.
type uint128 struct{ high, low uint64 }

func product(tokens, rate uint64) uint128 {
	high, low := bits.Mul64(tokens, rate)
	return uint128{high, low}
}

func (a uint128) plus(b uint128) uint128 {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, carry := bits.Add64(a.high, b.high, carry)
	if carry > 0 {
		return uint128{math.MaxUint64, math.MaxUint64}
	}
	return uint128{high, low}
}

// amount rounds to 10^-9 US dollars.
func (a uint128) amount() uint64 { return a.rounded(1000) }

// rounded returns the amount in a larger unit, rounded half up; an amount that does not
// fit is the largest number.
func (a uint128) rounded(unit uint64) uint64 {
	rounded := a.plus(uint128{0, unit / 2})
	if rounded.high >= unit {
		return math.MaxUint64
	}
	quotient, _ := bits.Div64(rounded.high, rounded.low, unit)
	return quotient
}
