package pricing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// rowsOf describes the rows of a model: the dates, the rate of input in millionths of a
// dollar per million tokens, and a star for rows of an overlay.
func rowsOf(t *Table, model string) []string {
	date := func(millis int64) string {
		if millis == 0 {
			return ""
		}
		return time.UnixMilli(millis).UTC().Format(time.DateOnly)
	}
	var rows []string
	for _, r := range t.Rows {
		if r.Model == model {
			text := fmt.Sprintf("%s..%s %d%s", date(r.From), date(r.Until), r.Input, strings.Repeat("*", btoi(r.Overlay)))
			if r.Multiplier > 0 {
				text += " x " + r.Multiplier.String()
			}
			rows = append(rows, text)
		}
	}
	return rows
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestWith(t *testing.T) {
	base := NewTable("2026-01-01", []Row{
		{Model: "always", Rates: Rates{Input: 10}},
		{Model: "later", From: day(2026_09_01), Rates: Rates{Input: 20}},
		{Model: "two", From: day(2026_03_01), Until: day(2026_06_01), Rates: Rates{Input: 30}},
		{Model: "two", From: day(2026_06_01), Rates: Rates{Input: 40}},
		{Model: "ended", Until: day(2026_06_01), Rates: Rates{Input: 50}},
		{Model: "claude-opus-5", Rates: Rates{Input: 80}},
	})
	march, july := day(2026_03_10), day(2026_07_10)
	const half = multiplierUnit / 2
	for name, test := range map[string]struct {
		overlay []Row
		model   string
		want    []string
	}{
		"no rows":            {nil, "two", []string{"2026-03-01..2026-06-01 30", "2026-06-01.. 40"}},
		"another model":      {[]Row{{Model: "new"}}, "later", []string{"2026-09-01.. 20"}},
		"a new model":        {[]Row{{Model: "New.Model", Rates: Rates{Input: 70}}}, "new-model", []string{".. 70*"}},
		"a period of a new":  {[]Row{{Model: "new", From: march, Until: july}}, "new", []string{"2026-03-10..2026-07-10 0*"}},
		"without dates":      {[]Row{{Model: "two", Rates: Rates{Input: 70}}}, "two", []string{".. 70*"}},
		"from a date":        {[]Row{{Model: "always", From: march}}, "always", []string{"..2026-03-10 10", "2026-03-10.. 0*"}},
		"until a date":       {[]Row{{Model: "always", Until: march}}, "always", []string{"..2026-03-10 0*", "2026-03-10.. 10"}},
		"in the middle":      {[]Row{{Model: "always", From: march, Until: july}}, "always", []string{"..2026-03-10 10", "2026-03-10..2026-07-10 0*", "2026-07-10.. 10"}},
		"over a change":      {[]Row{{Model: "two", From: march, Until: july}}, "two", []string{"..2026-03-10 30", "2026-03-10..2026-07-10 0*", "2026-07-10.. 40"}},
		"a whole row":        {[]Row{{Model: "two", From: day(2026_06_01)}}, "two", []string{"..2026-06-01 30", "2026-06-01.. 0*"}},
		"before the first":   {[]Row{{Model: "later", From: march, Until: july}}, "later", []string{"..2026-03-10 20", "2026-03-10..2026-07-10 0*", "2026-07-10.. 20"}},
		"after the last":     {[]Row{{Model: "ended", From: july}}, "ended", []string{"..2026-07-10 50", "2026-07-10.. 0*"}},
		"two rows":           {[]Row{{Model: "always", From: july}, {Model: "always", Until: march}}, "always", []string{"..2026-03-10 0*", "2026-03-10..2026-07-10 10", "2026-07-10.. 0*"}},
		"a multiplier":       {[]Row{{Model: "two", Multiplier: half, Inherits: true}}, "two", []string{"..2026-06-01 30* x 0.5", "2026-06-01.. 40* x 0.5"}},
		"of a period":        {[]Row{{Model: "two", From: march, Until: july, Multiplier: half, Inherits: true}}, "two", []string{"..2026-03-10 30", "2026-03-10..2026-06-01 30* x 0.5", "2026-06-01..2026-07-10 40* x 0.5", "2026-07-10.. 40"}},
		"after a price":      {[]Row{{Model: "always", Until: march, Rates: Rates{Input: 70}, Multiplier: half}, {Model: "always", From: march, Multiplier: half, Inherits: true}}, "always", []string{"..2026-03-10 70* x 0.5", "2026-03-10.. 10* x 0.5"}},
		"an id with a name":  {[]Row{{Model: "x-claude-opus-5-fast", From: march, Multiplier: half, Inherits: true}}, "x-claude-opus-5-fast", []string{"..2026-03-10 80", "2026-03-10.. 80* x 0.5"}},
		"only of that id":    {[]Row{{Model: "x-claude-opus-5-fast", From: march}}, "claude-opus-5", []string{".. 80"}},
		"an id with a cloud": {[]Row{{Model: "us.anthropic.always-v1:0"}}, "always", []string{".. 0*"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := base.With(test.overlay)
			if err != nil {
				t.Fatal(err)
			}
			if rows := rowsOf(got, test.model); !slices.Equal(rows, test.want) {
				t.Errorf("got  %q\nwant %q", rows, test.want)
			}
			if got.Updated != base.Updated || got.Overlaid() != (len(test.overlay) > 0) || base.Overlaid() {
				t.Errorf("updated %s, overlaid %v, base %v", got.Updated, got.Overlaid(), base.Overlaid())
			}
		})
	}
}

// Within its dates an overlay has its own price, and at all other times nothing
// changes.
func TestWithChangesOnlyItsPeriod(t *testing.T) {
	base := Default()
	for _, model := range []string{"claude-opus-4-7", "claude-sonnet-5-5", "claude-fable-5-2", "claude-haiku-5-5", "claude-3-haiku"} {
		for from := day(2026_06_01); from < day(2026_12_01); from += 9 * dayMillis {
			until := from + 40*dayMillis
			table, err := base.With([]Row{{Model: model, From: from, Until: until, Rates: Rates{Input: 10}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []int64{0, from - 1, from, until - 1, until, from - 20*dayMillis, from + 20*dayMillis, until + 20*dayMillis} {
				r := Request{Model: model, Time: at, Fast: true}
				want := base.Price(r)
				if from <= at && at < until {
					want = Price{Rates: Rates{Input: 10}, WebSearch: webSearch}
				}
				if got := table.Price(r); got != want {
					t.Errorf("%s from %d at %d: got %+v, want %+v", model, from, at, got, want)
				}
			}
		}
	}
}

// A model without built-in prices has its first price before its first day, and its
// last price after its last day.
func TestWithNewModel(t *testing.T) {
	from, change, until := day(2026_03_10), day(2026_05_10), day(2026_07_10)
	table, err := Default().With([]Row{
		{Model: "new", From: from, Until: change, Rates: Rates{Input: 10}},
		{Model: "new", From: change, Until: until, Rates: Rates{Input: 20}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]uint64{0: 10, from - 1: 10, from: 10, change - 1: 10, change: 20, until - 1: 20, until: 20} {
		if got := table.Price(Request{Model: "new", Time: at}); got.Input != want || got.Unknown {
			t.Errorf("at %d: got %+v, want a rate of %d", at, got, want)
		}
	}
}

func TestWithErrors(t *testing.T) {
	for name, test := range map[string]struct {
		overlay []Row
		want    string
	}{
		"the same twice":    {[]Row{{Model: "a"}, {Model: "b"}, {Model: "A"}}, "price of a: rows 1 and 3 overlap"},
		"no prices":         {[]Row{{Model: "a"}, {Model: "b", Inherits: true}}, "row 2: no built-in price of b"},
		"overlapping dates": {[]Row{{Model: "a", From: day(2026_01_01)}, {Model: "a", Until: day(2026_01_02)}}, "price of a: rows 1 and 2 overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Default().With(test.overlay); err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// The price for an inference profile of a region is the price in the region. The price
// of a model's other ids is multiplied like a built-in price.
func TestWithRegions(t *testing.T) {
	const model = "us.anthropic.claude-future-7-v1"
	for _, test := range []struct {
		overlay, model string
		want           uint64
	}{
		{model, model, 1000},
		{model, "claude-future-7", 1000},
		{"claude-future-7", model, 1100},
		{"global.anthropic.claude-future-7", model, 1100},
		{"claude-future-7", "claude-future-7", 1000},
		{"claude-3-opus", "us.anthropic.claude-3-opus", 1000},
		{"claude-opus-5", "us.anthropic.claude-opus-5", 1100},
		{"eu.anthropic.claude-opus-5", "us.anthropic.claude-opus-5", 1000},
	} {
		table, err := Default().With([]Row{{Model: test.overlay, Rates: Rates{Input: 1000}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Price(Request{Model: test.model}).Input; got != test.want {
			t.Errorf("%s with a price of %s: got %d, want %d", test.model, test.overlay, got, test.want)
		}
	}
}
