package cost

import (
	"math/big"
	"slices"
	"time"
)

// A request is what is priced at once: a message without its iterations, or one of
// them.
type request struct {
	model    string // as written
	at       time.Time
	fast, us bool

	input, write5m, write1h, read, output, searches *big.Int
}

// prompt returns the size by which a long request is recognized.
func (r *request) prompt() *big.Int { return sum(r.input, r.write5m, r.write1h, r.read) }

// An invoice is what a request costs, in 10^-9 dollars and by component.
type invoice struct {
	components       map[string]*big.Int
	savings, premium *big.Int
}

// A book has the price lists.
type book struct{ prices, fast []row }

func newBook() (b book, err error) {
	if b.prices, err = parseList(priceList); err != nil {
		return b, err
	}
	b.fast, err = parseList(fastList)
	return b, err
}

// invoice prices a request. It returns false for a model without a price.
func (b book) invoice(r *request) (invoice, bool) {
	price := b.find(r)
	if price == nil {
		return invoice{}, false
	}
	factor := b.factor(r)
	rate := func(column int) *big.Rat { return new(big.Rat).Mul(price.values[column], factor) }
	more := func(column, than int) *big.Rat { return new(big.Rat).Sub(rate(column), rate(than)) }
	const perMillion = 1_000_000
	return invoice{
		components: map[string]*big.Int{
			"input":          nano(perMillion, part{r.input, rate(colInput)}),
			"output":         nano(perMillion, part{r.output, rate(colOutput)}),
			"cache_read":     nano(perMillion, part{r.read, rate(colRead)}),
			"cache_write_5m": nano(perMillion, part{r.write5m, rate(colWrite5m)}),
			"cache_write_1h": nano(perMillion, part{r.write1h, rate(colWrite1h)}),
			"web_search":     nano(1, part{r.searches, number(webSearch)}),
		},
		savings: nano(perMillion, part{r.read, more(colInput, colRead)}),
		premium: nano(perMillion, part{r.write5m, more(colWrite5m, colInput)}, part{r.write1h, more(colWrite1h, colInput)}),
	}, true
}

// unpricedLength is the length in bytes from which the id of a model has no price.
const unpricedLength = 125

// find returns the row of a request, nil if its model has no price: of those of its
// model the one in force, else the first; of those at that time, the one for the
// longest prompts.
func (b book) find(r *request) *row {
	if len(r.model) >= unpricedLength {
		return nil
	}
	id, prompt := normalize(r.model), r.prompt()
	var inForce, first *row
	for i := range b.prices {
		p := &b.prices[i]
		if !slices.Contains(p.models, id) || p.over.Sign() > 0 && prompt.Cmp(p.over) <= 0 {
			continue
		}
		if p.inForce(r.at) && (inForce == nil || p.over.Cmp(inForce.over) > 0) {
			inForce = p
		}
		if first == nil || p.from.Before(first.from) || p.from.Equal(first.from) && p.over.Cmp(first.over) > 0 {
			first = p
		}
	}
	if inForce != nil {
		return inForce
	}
	return first
}

// factor returns the factor of speed and place.
func (b book) factor(r *request) *big.Rat {
	f := big.NewRat(1, 1)
	for i := range b.fast {
		if row := &b.fast[i]; r.fast && slices.Contains(row.models, normalize(r.model)) && row.inForce(r.at) {
			f.Mul(f, row.values[0])
		}
	}
	if r.us {
		f.Mul(f, number(usFactor))
	}
	return f
}

// A part is a number of units at a price in dollars.
type part struct {
	n    *big.Int
	each *big.Rat
}

// nano adds up parts whose price is that of per units, in 10^-9 dollars, and rounds
// half up.
func nano(per int64, parts ...part) *big.Int {
	total := new(big.Rat)
	for _, p := range parts {
		total.Add(total, new(big.Rat).Mul(new(big.Rat).SetInt(p.n), p.each))
	}
	total.Mul(total, big.NewRat(1_000_000_000, per))
	total.Add(total, big.NewRat(1, 2))
	return new(big.Int).Div(total.Num(), total.Denom()) // rounds down
}

// number parses a constant.
func number(s string) *big.Rat {
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a number: " + s)
	}
	return n
}

func sum(all ...*big.Int) *big.Int {
	total := new(big.Int)
	for _, n := range all {
		total.Add(total, n)
	}
	return total
}
