package pricing

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Default does not check the built-in rows, NewTable does.
func TestDefaultIsValid(t *testing.T) {
	want, err := NewTable(updated, builtin())
	if err != nil {
		t.Fatal(err)
	}
	if got := Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := time.Parse(time.DateOnly, updated); err != nil {
		t.Error(err)
	}
	for i, r := range want.Rows {
		next := i+1 < len(want.Rows) && want.Rows[i+1].Model == r.Model
		if next && r.Until != want.Rows[i+1].From {
			t.Errorf("%s: a gap follows row %d", r.Model, i)
		}
		if !next && r.Until != 0 {
			t.Errorf("%s: the last row ends", r.Model)
		}
	}
}

func TestNewTableErrors(t *testing.T) {
	valid := Row{Model: "m", Rates: Rates{10, 20, 30, 40, 50}}
	for name, test := range map[string]struct {
		change func(*Row)
		want   string
	}{
		"no model":              {func(r *Row) { r.Model = "" }, "not normalized"},
		"a date in the model":   {func(r *Row) { r.Model = "m-20260101" }, "not normalized"},
		"a time of the day":     {func(r *Row) { r.From = 1 }, "beginning of a day"},
		"a time before 1970":    {func(r *Row) { r.From = -dayMillis }, "beginning of a day"},
		"an empty period":       {func(r *Row) { r.From, r.Until = dayMillis, dayMillis }, "last day is before the first"},
		"a negative period":     {func(r *Row) { r.From, r.Until = 2*dayMillis, dayMillis }, "last day is before the first"},
		"a rate that is large":  {func(r *Row) { r.Output = MaxRate + 10 }, "not a multiple of 10 up to"},
		"a rate that is fine":   {func(r *Row) { r.Input = 11 }, "rate of 11 "},
		"a long rate":           {func(r *Row) { r.LongPrompt, r.Long.Input = 1, 11 }, "rate of 11 "},
		"a factor":              {func(r *Row) { r.Fast = MaxFast + 1 }, "fast mode"},
		"long without a length": {func(r *Row) { r.Long.Input = 10 }, "without their length"},
	} {
		t.Run(name, func(t *testing.T) {
			r := valid
			test.change(&r)
			if _, err := NewTable("", []Row{valid, r}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if _, err := NewTable("", []Row{valid, valid}); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("got %v", err)
	}
	largest := valid
	largest.Output, largest.Fast = MaxRate, MaxFast
	if _, err := NewTable("", []Row{largest}); err != nil {
		t.Error(err)
	}
	if p := largest.price(true, true); p.Output != 110*MaxRate {
		t.Errorf("got %d", p.Output)
	}
}

// A table finds the row of a time, also in gaps, before the first row and after the
// last.
func TestTableRow(t *testing.T) {
	table, err := NewTable("2026-01-01", []Row{
		{Model: "m", From: day(2026_03_01), Until: day(2026_04_01), Rates: Rates{Input: 20}},
		{Model: "m", From: day(2026_01_01), Until: day(2026_02_01), Rates: Rates{Input: 10}},
		{Model: "n", Rates: Rates{Input: 30}},
		{Model: "l", From: day(2026_01_01), Rates: Rates{Input: 40}},
	})
	if err != nil {
		t.Fatal(err)
	}
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
		if got := table.row(test.model, test.time); got == nil || got.Input != test.want {
			t.Errorf("%s at %d: got %+v, want %d", test.model, test.time, got, test.want)
		}
	}
	for _, model := range []string{"", "a", "k", "ll", "mm", "o", "M/", "<synthetic>"} {
		if table.row(model, 0) != nil {
			t.Errorf("%s: got a row", model)
		}
	}
}

// A table does not keep the slice that it was made from.
func TestNewTableCopies(t *testing.T) {
	rows := []Row{{Model: "b"}, {Model: "a"}}
	table, err := NewTable("", rows)
	if err != nil {
		t.Fatal(err)
	}
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

// Pricing is done for every message.
func TestPriceDoesNotAllocate(t *testing.T) {
	table := Default()
	r := Request{Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", Fast: true, US: true}
	u := Usage{Input: 1, CacheRead: 2, Output: 3}
	if n := testing.AllocsPerRun(100, func() { table.Price(r).Cost(u) }); n > 0 {
		t.Errorf("got %v allocations", n)
	}
}
