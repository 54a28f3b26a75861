package pricing

import (
	"math"
	"testing"
)

func TestParseMultiplier(t *testing.T) {
	for text, want := range map[string]Multiplier{
		"1": 1_000_000, "0.85": 850_000, "1.1": 1_100_000, "0.000001": 1, "0.1000000000": 100_000, "1000": MaxMultiplier,
	} {
		if got, err := ParseMultiplier(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0.0", "-1", "x", "1e3", ".5", "0.0000001", "1000.000001", "99999999999999999999999999"} {
		if got, err := ParseMultiplier(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

// A multiplier applies to all prices of a request, after the factors of fast mode and
// of the region, and is rounded once.
func TestMultiplier(t *testing.T) {
	table, err := Default().With([]Row{
		{Model: "mine", Rates: Rates{Input: 1000}},
		{Model: "own", Rates: Rates{Input: 1000}, Multiplier: 2 * multiplierUnit},
		{Model: "claude-opus-5", Multiplier: 1 * multiplierUnit, Inherits: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	table = table.Multiplied(850_000)
	for _, test := range []struct {
		request Request
		usage   Usage
		want    Cost
	}{
		{Request{Model: "mine"}, Usage{Input: 1000, WebSearches: 10}, Cost{Input: 850, WebSearch: 85_000_000}},
		{Request{Model: "own"}, Usage{Input: 1000}, Cost{Input: 2000}},
		{Request{Model: "claude-opus-5", Fast: true}, Usage{Input: 1000}, Cost{Input: 10_000_000}},
		{Request{Model: "claude-opus-4-8", Fast: true, US: true}, Usage{Output: 1000}, Cost{Output: 46_750_000}}, // 25 x 2 x 1.1 x 0.85
		{Request{Model: "claude-haiku-5-5"}, Usage{Input: 100_001}, Cost{Input: 42_500_425}},
		{Request{Model: "claude-opus-4-8"}, Usage{CacheRead: 1000, CacheWrite5m: 1000}, Cost{
			CacheRead: 425_000, CacheWrite5m: 5_312_500, CacheSavings: 3_825_000, CacheWritePremium: 1_062_500,
		}},
		{Request{Model: "claude-haiku-5-5", US: true}, Usage{CacheWrite5m: 1}, Cost{CacheWrite5m: 117, CacheWritePremium: 23}}, // 137.5 and 27.5 x 0.85
	} {
		if got := table.Price(test.request).Cost(test.usage); got != test.want {
			t.Errorf("%+v: got %+v, want %+v", test.request, got, test.want)
		}
	}
	if !table.Overlaid() || !Default().Multiplied(1).Overlaid() || Default().Overlaid() {
		t.Error("only tables of a configuration are overlaid")
	}
}

// A product below the smallest rate is rounded, and a product that does not fit becomes
// the largest rate.
func TestMultiplierRounds(t *testing.T) {
	for _, test := range []struct {
		m          Multiplier
		rate, want uint64
	}{
		{1, 499_999, 0}, {1, 500_000, 1}, {333_333, 10, 3}, {350_000, 10, 4}, {MaxMultiplier, math.MaxUint64, math.MaxUint64}, {MaxMultiplier, 7, 7000},
	} {
		if got := test.m.times(test.rate); got != test.want {
			t.Errorf("%d x %s: got %d, want %d", test.rate, test.m, got, test.want)
		}
	}
}
