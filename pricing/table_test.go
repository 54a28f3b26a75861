package pricing

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// The built-in rows are valid, see Row.
func TestDefaultIsValid(t *testing.T) {
	rows := Default().Rows
	if _, err := time.Parse(time.DateOnly, updated); err != nil {
		t.Error(err)
	}
	for i, r := range rows {
		if err := r.check(); err != nil || i > 0 && r.overlaps(&rows[i-1]) {
			t.Errorf("row %d of %s: got error %v, or it overlaps with another one", i, r.Model, err)
		}
		next := i+1 < len(rows) && rows[i+1].Model == r.Model
		if next && r.Until != rows[i+1].From {
			t.Errorf("%s: a gap follows row %d", r.Model, i)
		}
		if !next && r.Until != 0 {
			t.Errorf("%s: the last row ends", r.Model)
		}
	}
}

// check returns the mistakes in a single row.
func (r *Row) check() error {
	switch {
	case r.Model == "" || Normalize(r.Model) != r.Model:
		return fmt.Errorf("model id is not normalized")
	case r.From < 0 || r.Until < 0 || r.From%dayMillis != 0 || r.Until%dayMillis != 0:
		return fmt.Errorf("a date is not the beginning of a day")
	case r.From >= r.end():
		return fmt.Errorf("last day is before the first")
	case r.Multiplier > 0 || r.Inherits || r.Overlay:
		return fmt.Errorf("of a configuration")
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

// The largest rate in fast mode, in the US and with a multiplier fits.
func TestLargestPrice(t *testing.T) {
	largest := Row{Rates: Rates{Output: MaxRate}, Fast: MaxFast, Multiplier: MaxMultiplier}
	if p := largest.price(true, true); p.Output != 110_000*MaxRate {
		t.Errorf("got %d", p.Output)
	}
}

// A table finds the row of a time, also in gaps, before the first row and after the
// last row.
func TestTableRow(t *testing.T) {
	table := NewTable("2026-01-01", []Row{
		{Model: "m", From: day(2026_03_01), Until: day(2026_04_01), Rates: Rates{Input: 20}},
		{Model: "m", From: day(2026_01_01), Until: day(2026_02_01), Rates: Rates{Input: 10}},
		{Model: "n", Rates: Rates{Input: 30}},
		{Model: "l", From: day(2026_01_01), Rates: Rates{Input: 40}},
	})
	for _, test := range []struct {
		model string
		time  int64
		want  uint64
	}{
		{"m", math.MinInt64, 10},
		{"m", -1, 10},
		{"m", 0, 10},
		{"m", day(2026_01_01) - 1, 10},
		{"m", day(2026_02_01) - 1, 10},
		{"m", day(2026_02_01), 10},
		{"m", day(2026_03_01) - 1, 10},
		{"m", day(2026_03_01), 20},
		{"m", day(2026_04_01), 20},
		{"m", math.MaxInt64, 20},
		{"n", 0, 30},
		{"l", 0, 40},
		{"l", math.MaxInt64, 40},
	} {
		if got, _ := table.row(test.model, test.time); got == nil || got.Input != test.want {
			t.Errorf("%s at %d: got %+v, want %d", test.model, test.time, got, test.want)
		}
	}
	for _, model := range []string{"", "a", "k", "ll", "mm", "o", "M/", "<synthetic>"} {
		if table.Has(model) {
			t.Errorf("%s: got a row", model)
		}
	}
}

// NewTable copies the given slice.
func TestNewTableCopies(t *testing.T) {
	rows := []Row{{Model: "b"}, {Model: "a"}}
	table := NewTable("", rows)
	rows[1].Model = "c"
	if got := []string{table.Rows[0].Model, table.Rows[1].Model}; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
}

func TestPriceWithoutTable(t *testing.T) {
	var table *Table
	if got := table.Price(Request{Model: "claude-opus-5"}); got != (Price{}) {
		t.Errorf("got %+v", got)
	}
	empty := Table{}
	if got := empty.Price(Request{Model: "claude-opus-5"}); got != (Price{Unknown: true}) {
		t.Errorf("got %+v", got)
	}
}

// Every message is priced, so pricing must not allocate.
func TestPriceDoesNotAllocate(t *testing.T) {
	table := Default()
	r := Request{Model: "us.anthropic.claude-4-5-sonnet-20250929-v1:0[1m]", Fast: true, US: true}
	u := Usage{Input: 1, CacheRead: 2, Output: 3}
	if n := testing.AllocsPerRun(100, func() { table.Price(r).Cost(u) }); n > 0 {
		t.Errorf("got %v allocations", n)
	}
}
