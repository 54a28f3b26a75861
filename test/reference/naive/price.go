package naive

import (
	"math/big"
	"slices"
	"time"
)

// A cost is the cost of a request, in 10^-9 dollars.
type cost struct {
	components       map[string]float64 // by the label
	savings, premium float64
}

// A book has the price lists.
type book struct{ prices, fast []row }

var prices = book{parseList(priceList), parseList(fastList)}

// cost prices a request. It returns false for a model without a price.
func (b book) cost(r request) (cost, bool) {
	price := b.find(r)
	if price == nil {
		return cost{}, false
	}
	factor := b.factor(r)
	rate := func(column int) *big.Rat { return new(big.Rat).Mul(price.values[column], factor) }
	more := func(column, than int) *big.Rat { return new(big.Rat).Sub(rate(column), rate(than)) }
	n := r.tokens()
	const perMillion = 1_000_000
	return cost{
		components: map[string]float64{
			"input":          nano(perMillion, part{n["input"], rate(colInput)}),
			"output":         nano(perMillion, part{n["output"], rate(colOutput)}),
			"cache_read":     nano(perMillion, part{n["cache_read"], rate(colRead)}),
			"cache_write_5m": nano(perMillion, part{n["cache_write_5m"], rate(colWrite5m)}),
			"cache_write_1h": nano(perMillion, part{n["cache_write_1h"], rate(colWrite1h)}),
			"web_search":     nano(1, part{r.usage.Count("server_tool_use", "web_search_requests"), number(webSearch)}),
		},
		savings: nano(perMillion, part{n["cache_read"], more(colInput, colRead)}),
		premium: nano(perMillion, part{n["cache_write_5m"], more(colWrite5m, colInput)}, part{n["cache_write_1h"], more(colWrite1h, colInput)}),
	}, true
}

// rewriting returns how much more a request cost because it wrote tokens to the cache
// again, in 10^-9 dollars: 0 without a price.
func (b book) rewriting(r request, again float64) float64 {
	price := b.find(r)
	if price == nil {
		return 0
	}
	factor := b.factor(r)
	more := func(column int) *big.Rat {
		return new(big.Rat).Mul(new(big.Rat).Sub(price.values[column], price.values[colRead]), factor)
	}
	short, _ := r.usage.written()
	short = min(short, again)
	return nano(1_000_000, part{short, more(colWrite5m)}, part{again - short, more(colWrite1h)})
}

// total returns the sum of the components.
func (c cost) total() (nano float64) {
	for _, amount := range c.components {
		nano += amount
	}
	return nano
}

// A model whose id has unpricedLength bytes or more has no price.
const unpricedLength = 125

// find returns the row of a request, nil if its model has no price. Rows in force at
// the time of the request win, else the first rows of the model; among them, the row
// for the longest prompts.
func (b book) find(r request) *row {
	if len(r.written) >= unpricedLength {
		return nil
	}
	id, prompt, at := b.model(r.written), r.usage.context(), time.UnixMilli(r.at)
	var inForce, first *row
	for i := range b.prices {
		p := &b.prices[i]
		if !slices.Contains(p.models, id) || p.over > 0 && prompt <= p.over {
			continue
		}
		if p.inForce(at) && (inForce == nil || p.over > inForce.over) {
			inForce = p
		}
		if first == nil || p.from.Before(first.from) || p.from.Equal(first.from) && p.over > first.over {
			first = p
		}
	}
	if inForce != nil {
		return inForce
	}
	return first
}

// model returns the longest name in the list that the id of a model contains, "" if it
// contains none.
func (b book) model(written string) (longest string) {
	for _, row := range b.prices {
		for _, name := range row.models {
			if len(name) > len(longest) && contains(normalize(written), name) {
				longest = name
			}
		}
	}
	return longest
}

// factor returns the factor of speed and place.
func (b book) factor(r request) *big.Rat {
	f, model := big.NewRat(1, 1), b.model(r.written)
	for i := range b.fast {
		if row := &b.fast[i]; r.fast && slices.Contains(row.models, model) && row.inForce(time.UnixMilli(r.at)) {
			f.Mul(f, row.values[0])
		}
	}
	if r.us || isRegional(r.written) && !slices.Contains(sameInRegions, model) {
		f.Mul(f, number(regionFactor))
	}
	return f
}

// A part is a number of units at a price in dollars.
type part struct {
	n    float64 // a count
	each *big.Rat
}

// nano adds up parts, priced in dollars for per units, in 10^-9 dollars, and rounds
// half up.
func nano(per int64, parts ...part) float64 {
	total := new(big.Rat)
	for _, p := range parts {
		total.Add(total, new(big.Rat).Mul(new(big.Rat).SetFloat64(p.n), p.each))
	}
	total.Mul(total, big.NewRat(1_000_000_000, per))
	total.Add(total, big.NewRat(1, 2))
	n, _ := new(big.Int).Div(total.Num(), total.Denom()).Float64() // rounds down
	return n
}

// number parses a constant.
func number(s string) *big.Rat {
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a number: " + s)
	}
	return n
}
