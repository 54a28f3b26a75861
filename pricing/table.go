package pricing

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// A Table has the prices of models over time. It is plain data. NewTable, Default and
// With return tables that must not be changed. A nil *Table prices nothing.
type Table struct {
	// Updated is the date of the built-in rows, such as 2026-11-28.
	Updated string
	// Rows are sorted by model, then by date.
	Rows []Row
	// Aliases are the models of ids that do not name their model, by normalized id, see
	// WithAliases.
	Aliases map[string]string
}

// A Row has the prices of one model in one period. It is valid if its model is
// normalized, its period is not empty and overlaps with no other period of its model,
// and its rates and its factor are within the bounds below.
type Row struct {
	// Model is a normalized id, see Normalize.
	Model string
	// From and Until limit the period: it includes From and does not include Until.
	// Both are the beginning of a day in UTC, in milliseconds since the epoch; 0 means
	// no limit.
	//
	// The first row of a model also holds before its From, and every row holds past its
	// Until, to the From of the next row.
	From, Until int64
	Rates
	// LongPrompt limits the prompt tokens: above it the rates are Long, see Price; 0
	// means no limit.
	LongPrompt uint64
	Long       Rates
	// Fast is the factor of all rates in fast mode; 0 means the same rates.
	Fast uint64
	// SameInRegions means that Amazon Bedrock's inference profiles of a region cost as
	// much as profiles of all regions, not 1.1 times as much.
	SameInRegions bool
	// Multiplier is a contract's or gateway's factor of all prices; 0 means 1.
	Multiplier Multiplier
	// Inherits means that a row of an overlay has no prices of its own, see With.
	Inherits bool
	// Overlay means that the row is from the configuration, see With.
	Overlay bool
}

// Bounds of a row. Rates are multiples of 10, so 1.1 times a rate is an integer.
const (
	MaxRate       = 100_000 * usd // 100,000 dollars per million tokens
	MaxFast       = 100
	MaxMultiplier = 1000 * multiplierUnit
)

// Default returns the built-in list prices.
func Default() *Table { return NewTable(updated, builtin()) }

// NewTable returns a table with valid rows, in any order. Updated is the date of the
// built-in rows.
func NewTable(updated string, rows []Row) *Table {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.From, b.From))
	})
	return &Table{Updated: updated, Rows: rows}
}

// Overlaid reports whether a configuration has changed the prices.
func (t *Table) Overlaid() bool {
	return len(t.Aliases) > 0 || slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Overlay || r.Multiplier > 0 })
}

// Has reports whether the table has a model.
func (t *Table) Has(model string) bool {
	row, _ := t.row(model, 0)
	return row != nil
}

// Price returns the price of a request: with its date, the factors of fast mode, of the
// region, of the row and of the request applied. It does not allocate.
func (t *Table) Price(r Request) Price {
	if t == nil {
		return Price{}
	}
	row, regional := t.row(r.Model, r.Time)
	if row == nil {
		return Price{Unknown: true}
	}
	return row.price(r.Fast, r.US || regional && !row.SameInRegions).multiplied(r.Multiplier)
}

// Model returns the name of the rows that price requests to a model. ok is false if
// there are no such rows.
func (t *Table) Model(model string) (name string, ok bool) {
	row, _ := t.row(model, 0)
	if row == nil {
		return "", false
	}
	return row.Model, true
}

// row returns the row that prices requests to a model at a time, or nil. regional
// reports whether the model is an inference profile of a region.
func (t *Table) row(model string, at int64) (row *Row, regional bool) {
	var space [80]byte
	id, regional := normalize(space[:], model)
	if of, ok := t.Aliases[string(id)]; ok {
		var ofRegion bool
		id, ofRegion = normalize(id, of)
		regional = regional || ofRegion
	}
	i := t.first(id)
	if i < 0 {
		return nil, regional
	}
	for next := i + 1; next < len(t.Rows) && t.Rows[next].Model == t.Rows[i].Model && t.Rows[next].From <= at; next++ {
		i = next
	}
	return &t.Rows[i], regional
}

// first returns the index of the first row for a normalized id: of the model with this
// id or, if the id contains names of Claude models, of the longest name. It returns -1
// if there is no row.
func (t *Table) first(id []byte) int {
	// slices.BinarySearchFunc would move the id to the heap.
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Model >= string(id) })
	if i < len(t.Rows) && t.Rows[i].Model == string(id) {
		return i
	}
	found := -1
	for i := range t.Rows {
		model := t.Rows[i].Model
		if strings.HasPrefix(model, claude) && namesModel(id, model) && (found < 0 || len(model) > len(t.Rows[found].Model)) {
			found = i
		}
	}
	return found
}

// price returns the price that the row gives to a request, which may be bound to a
// region.
func (r *Row) price(fast, regional bool) Price {
	p := Price{Rates: r.Rates, LongPrompt: r.LongPrompt, Long: r.Long, WebSearch: webSearch}
	if fast && r.Fast > 0 {
		p.Rates, p.Long = p.times(r.Fast, 1), p.Long.times(r.Fast, 1)
	}
	if regional {
		p.Rates, p.Long = p.times(11, 10), p.Long.times(11, 10)
	}
	return p.multiplied(r.Multiplier)
}

// multiplied returns the price with a factor of all prices; 0 means 1.
func (p Price) multiplied(m Multiplier) Price {
	if m > 0 {
		p.Rates, p.Long, p.WebSearch = m.applyTo(p.Rates), m.applyTo(p.Long), m.times(p.WebSearch)
	}
	return p
}

// times returns the rates multiplied by a fraction.
func (r Rates) times(numerator, denominator uint64) Rates {
	for _, rate := range r.all() {
		*rate = *rate * numerator / denominator
	}
	return r
}

func (r *Rates) all() []*uint64 {
	return []*uint64{&r.Input, &r.CacheWrite5m, &r.CacheWrite1h, &r.CacheRead, &r.Output}
}

// end returns Until as a comparable number.
func (r *Row) end() int64 {
	if r.Until == 0 {
		return math.MaxInt64
	}
	return r.Until
}

func (r *Row) overlaps(o *Row) bool {
	return r.Model == o.Model && r.From < o.end() && o.From < r.end()
}
