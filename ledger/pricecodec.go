package ledger

import (
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// codePriceTable visits the prices in the options.
func codePriceTable(c *codec.Coder, t *pricing.Table) {
	codec.String(c, 1, &t.Updated)
	codec.Slice(c, 2, &t.Rows, codePriceRow)
}

func codePriceRow(c *codec.Coder, r *pricing.Row) {
	codec.String(c, 1, &r.Model)
	codec.Int(c, 2, &r.From)
	codec.Int(c, 3, &r.Until)
	codeRates(c, 4, &r.Rates)
	codec.Uint(c, 9, &r.LongPrompt)
	codeRates(c, 10, &r.Long)
	codec.Uint(c, 15, &r.Fast)
	codec.Bool(c, 16, &r.Overlay)
}

// codePrice visits a price that messages have.
func codePrice(c *codec.Coder, p *pricing.Price) {
	codec.Bool(c, 1, &p.Unknown)
	codeRates(c, 2, &p.Rates)
	codec.Uint(c, 7, &p.LongPrompt)
	codeRates(c, 8, &p.Long)
	codec.Uint(c, 13, &p.WebSearch)
}

// codeRates visits five fields, the first with the given number.
func codeRates(c *codec.Coder, first codec.Number, r *pricing.Rates) {
	codeNumbers(c, first, []*uint64{&r.Input, &r.CacheWrite5m, &r.CacheWrite1h, &r.CacheRead, &r.Output})
}
