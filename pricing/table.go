package pricing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// A Table has the prices of models over time. It is plain data. NewTable, Default and
// With return valid ones, which must not be changed. A nil *Table prices nothing.
type Table struct {
	// Updated is the date of the built-in rows, such as 2026-11-22.
	Updated string
	// Rows are sorted by model, then by date.
	Rows []Row
}

// A Row has the prices of one model in one period.
type Row struct {
	// Model is a normalized id, see Normalize.
	Model string
	// From and Until limit the period: it includes From and does not include Until.
	// Both are the beginning of a day in UTC, in milliseconds since the epoch; 0 means
	// no limit.
	//
	// The first row of a model also holds before its From, and every row holds past its
	// Until, to the From of the next one.
	From, Until int64
	Rates
	// LongPrompt is the number of prompt tokens above which Long are the rates, see
	// Price; 0 if there is no such limit.
	LongPrompt uint64
	Long       Rates
	// Fast is the factor of all rates in fast mode; 0 means that it costs the same.
	Fast uint64
	// Overlay means that the row is from the configuration, see With.
	Overlay bool
}

// Bounds of a row. Rates are multiples of 10 so that 1.1 of them is an integer.
const (
	MaxRate = 100_000 * usd // 100,000 dollars per million tokens
	MaxFast = 100
)

// Default returns the built-in list prices.
func Default() *Table {
	return &Table{Updated: updated, Rows: sorted(builtin())}
}

// NewTable returns a table with the given rows, in any order. Updated is the date of
// the built-in ones. It returns an error if they contradict each other or are out of
// range.
func NewTable(updated string, rows []Row) (*Table, error) {
	t := &Table{Updated: updated, Rows: sorted(rows)}
	for i := range t.Rows {
		r := &t.Rows[i]
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("price of %q: %w", r.Model, err)
		}
		if i > 0 && r.overlaps(&t.Rows[i-1]) {
			return nil, fmt.Errorf("price of %q: two rows overlap", r.Model)
		}
	}
	return t, nil
}

// sorted returns a sorted copy of the rows.
func sorted(rows []Row) []Row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.From, b.From))
	})
	return rows
}

// Overlaid reports whether the table has rows of a configuration.
func (t *Table) Overlaid() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Overlay })
}

// Price returns the price of a request: with its date, the factors of fast mode and of
// inference in the US applied. It does not allocate.
func (t *Table) Price(r Request) Price {
	if t == nil {
		return Price{}
	}
	row := t.row(r.Model, r.Time)
	if row == nil {
		return Price{Unknown: true}
	}
	return row.price(r.Fast, r.US)
}

// row returns the row that prices requests to a model at a time; nil if there is none.
func (t *Table) row(model string, at int64) *Row {
	var space [80]byte
	id := normalize(space[:], model)
	// slices.BinarySearchFunc would move space to the heap.
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Model >= string(id) })
	if i == len(t.Rows) || t.Rows[i].Model != string(id) {
		return nil
	}
	for next := i + 1; next < len(t.Rows) && t.Rows[next].Model == string(id) && t.Rows[next].From <= at; next++ {
		i = next
	}
	return &t.Rows[i]
}

// price returns the price that the row gives to a request.
func (r *Row) price(fast, us bool) Price {
	p := Price{Rates: r.Rates, LongPrompt: r.LongPrompt, Long: r.Long, WebSearch: webSearch}
	if fast && r.Fast > 0 {
		p.Rates, p.Long = p.times(r.Fast, 1), p.Long.times(r.Fast, 1)
	}
	if us {
		p.Rates, p.Long = p.times(11, 10), p.Long.times(11, 10)
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

// check returns what is wrong with a single row.
func (r *Row) check() error {
	switch {
	case r.Model == "" || Normalize(r.Model) != r.Model:
		return fmt.Errorf("model id is not normalized")
	case r.From < 0 || r.Until < 0 || r.From%dayMillis != 0 || r.Until%dayMillis != 0:
		return fmt.Errorf("a date is not the beginning of a day")
	case r.From >= r.end():
		return fmt.Errorf("last day is before the first")
	case r.Fast > MaxFast:
		return fmt.Errorf("factor of fast mode %d is over %d", r.Fast, MaxFast)
	case r.LongPrompt == 0 && r.Long != Rates{}:
		return fmt.Errorf("rates of long prompts without their length")
	}
	for _, rates := range []Rates{r.Rates, r.Long} {
		for _, rate := range rates.all() {
			if *rate > MaxRate || *rate%10 != 0 {
				return fmt.Errorf("rate of %d x 10^-12 USD is not a multiple of 10 up to %d", *rate, uint64(MaxRate))
			}
		}
	}
	return nil
}

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// end returns Until as a number that can be compared.
func (r *Row) end() int64 {
	if r.Until == 0 {
		return math.MaxInt64
	}
	return r.Until
}

func (r *Row) overlaps(o *Row) bool {
	return r.Model == o.Model && r.From < o.end() && o.From < r.end()
}
