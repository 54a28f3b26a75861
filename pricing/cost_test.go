package pricing

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Cache savings and premium, calculated by hand in 10^-9 US dollars.
func TestCacheSavingsAndPremium(t *testing.T) {
	table := Default()
	for _, test := range []struct {
		name             string
		request          Request
		usage            Usage
		savings, premium uint64
	}{
		// 5000 - 500 for a read; 6250 - 5000 and 10000 - 5000 for a write.
		{"Opus 5", Request{Model: "claude-opus-5"}, Usage{CacheRead: 90_000, CacheWrite5m: 100, CacheWrite1h: 10}, 90_000 * 4500, 100*1250 + 10*5000},
		{"only input", Request{Model: "claude-opus-5"}, Usage{Input: 90_000, Output: 100, WebSearches: 1}, 0, 0},
		// All three rates are multiplied by 2 x 1.1.
		{"fast, US", Request{Model: "claude-opus-5", Fast: true, US: true}, Usage{CacheRead: 1000, CacheWrite5m: 100, CacheWrite1h: 10}, 1000 * 9900, 100*2750 + 10*11000},
		// 10000 - 250, and not nine tenths of input.
		{"Fable 5.1", Request{Model: "claude-fable-5-1"}, Usage{CacheRead: 1000}, 1000 * 9750, 0},
		// 2000 - 200, then 2000 - 100.
		{"Sonnet 5.5 before", Request{Model: "claude-sonnet-5-5", Time: day(2026_10_07) - 1}, Usage{CacheRead: 1000}, 1000 * 1800, 0},
		{"Sonnet 5.5 after", Request{Model: "claude-sonnet-5-5", Time: day(2026_10_07)}, Usage{CacheRead: 1000}, 1000 * 1900, 0},
		// 100 - 10, 125 - 100, 200 - 100; then 500 - 50, 625 - 500, 1000 - 500.
		{"Haiku 5.5, short", Request{Model: "claude-haiku-5-5"}, Usage{CacheRead: 99_998, CacheWrite5m: 1, CacheWrite1h: 1}, 99_998 * 90, 25 + 100},
		{"Haiku 5.5, long", Request{Model: "claude-haiku-5-5"}, Usage{CacheRead: 99_999, CacheWrite5m: 1, CacheWrite1h: 1}, 99_999 * 450, 125 + 500},
		// 137.5 - 110 = 27.5 and 220 - 110: the sum is rounded, 137.5 to 138.
		{"rounding", Request{Model: "claude-haiku-5-5", US: true}, Usage{CacheWrite5m: 1, CacheWrite1h: 1}, 0, 138},
		{"no rounding", Request{Model: "claude-haiku-5-5", US: true}, Usage{CacheWrite5m: 2, CacheWrite1h: 1}, 0, 165},
		{"unknown", Request{Model: "claude-opus-9"}, Usage{CacheRead: 1000, CacheWrite5m: 100, CacheWrite1h: 10}, 0, 0},
	} {
		cost := table.Price(test.request).Cost(test.usage)
		if cost.CacheSavings != test.savings || cost.CacheWritePremium != test.premium {
			t.Errorf("%s: got %d and %d, want %d and %d", test.name, cost.CacheSavings, cost.CacheWritePremium, test.savings, test.premium)
		}
	}
}

// The cost of writing tokens to the cache again, calculated by hand in 10^-9 US
// dollars.
func TestRewriting(t *testing.T) {
	table := Default()
	for _, test := range []struct {
		name      string
		request   Request
		usage     Usage
		rewritten uint64
		want      uint64
	}{
		// 6250 - 500 for five minutes, 10000 - 500 for an hour.
		{"five minutes", Request{Model: "claude-opus-5"}, Usage{CacheWrite5m: 100}, 60, 60 * 5750},
		{"an hour", Request{Model: "claude-opus-5"}, Usage{CacheWrite1h: 100}, 60, 60 * 9500},
		{"the cheaper ones first", Request{Model: "claude-opus-5"}, Usage{CacheWrite5m: 40, CacheWrite1h: 100}, 60, 40*5750 + 20*9500},
		{"more than written", Request{Model: "claude-opus-5"}, Usage{CacheWrite5m: 1, CacheWrite1h: 1}, 60, 5750 + 9500},
		{"fast, US", Request{Model: "claude-opus-5", Fast: true, US: true}, Usage{CacheWrite5m: 100}, 60, 60 * 12650},
		// 125 - 10, then 625 - 50 above 100,000 prompt tokens.
		{"Haiku 5.5, short", Request{Model: "claude-haiku-5-5"}, Usage{CacheRead: 99_998, CacheWrite5m: 2}, 2, 2 * 115},
		{"Haiku 5.5, long", Request{Model: "claude-haiku-5-5"}, Usage{CacheRead: 99_999, CacheWrite5m: 2}, 2, 2 * 575},
		{"unknown", Request{Model: "claude-opus-9"}, Usage{CacheWrite5m: 100}, 60, 0},
	} {
		if got := table.Price(test.request).Rewriting(test.usage, test.rewritten); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
	if got := (Price{Rates: Rates{CacheRead: 2, CacheWrite5m: 1}}).Rewriting(Usage{CacheWrite5m: 1}, 1); got != 0 {
		t.Errorf("reads that cost more than writes: got %d", got)
	}
}

// If reading from the cache costs more than input and writing less, there are neither
// savings nor a premium.
func TestCacheWithoutSavings(t *testing.T) {
	p := Price{Rates: Rates{Input: 1000, CacheRead: 2000, CacheWrite5m: 500, CacheWrite1h: 1000}}
	cost := p.Cost(Usage{CacheRead: 1, CacheWrite5m: 1, CacheWrite1h: 1})
	if want := (Cost{CacheRead: 2, CacheWrite5m: 1, CacheWrite1h: 1}); cost != want {
		t.Errorf("got %+v, want %+v", cost, want)
	}
}

// Amounts that do not fit are the largest number, and the length of the prompt does not
// wrap around.
func TestCostSaturates(t *testing.T) {
	const most = math.MaxUint64
	p := Price{Rates: Rates{1000, 1000, 1000, 1000, 1000}, LongPrompt: 10, Long: Rates{most, most, most, 0, most}, WebSearch: most}
	got := p.Cost(Usage{most, most, most, most, most, most})
	if want := (Cost{most, most, most, 0, most, most, most, 0}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Total() != most {
		t.Errorf("got %d", got.Total())
	}
	p.LongPrompt = 0
	if got, want := p.Cost(Usage{most, 0, 0, 0, 0, 0}), (Cost{Input: most}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	p.CacheWrite5m, p.CacheWrite1h, p.Input = most, most, 0
	if got := p.Cost(Usage{0, most, most, 0, 0, 0}); got.CacheWritePremium != most {
		t.Errorf("got %+v", got)
	}
}

func TestTotal(t *testing.T) {
	c := Cost{Input: 1, CacheWrite5m: 20, CacheWrite1h: 300, CacheRead: 4000, Output: 50_000, WebSearch: 600_000, CacheSavings: 7, CacheWritePremium: 8}
	if got := c.Total(); got != 654_321 {
		t.Errorf("got %d", got)
	}
}

// Any product equals the product of numbers of unlimited size.
func TestAmount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		tokens, rate := random.Uint64()>>random.IntN(64), random.Uint64()>>random.IntN(64)
		if i == 0 {
			tokens, rate = 1000<<32, 1<<32 // the smallest product that does not fit
		}
		want := new(big.Int).Mul(new(big.Int).SetUint64(tokens), new(big.Int).SetUint64(rate))
		want.Div(want.Add(want, big.NewInt(500)), big.NewInt(1000))
		if most := new(big.Int).SetUint64(math.MaxUint64); want.Cmp(most) > 0 {
			want = most
		}
		if got := product(tokens, rate).amount(); got != want.Uint64() {
			t.Fatalf("%d x %d: got %d, want %d", tokens, rate, got, want)
		}
	}
}
