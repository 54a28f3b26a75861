package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/pricing"
)

const rates = "input: 1, cache_write_5m: 1.25, cache_write_1h: 2, cache_read: 0.1, output: 5"

// loadPrices returns the table of a file with the given pricing section.
func loadPrices(t *testing.T, lines ...string) *pricing.Table {
	t.Helper()
	c, err := Load(write(t, t.TempDir(), lines...), environ(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	table, err := c.Pricing.Table()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestPricing(t *testing.T) {
	for _, text := range []string{"", "pricing:", "pricing: {}", "pricing: {models: []}"} {
		if got := loadPrices(t, text); !reflect.DeepEqual(got, pricing.Default()) {
			t.Errorf("%q: got %+v", text, got)
		}
	}
	for _, text := range []string{"pricing: off", "pricing: 'off'", "labels: {commands: [&o off]}\npricing: *o"} {
		if got := loadPrices(t, text); got != nil {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

func TestPricingModels(t *testing.T) {
	got := loadPrices(
		t,
		"pricing:",
		"  models:",
		"    - model: My.Gateway/First Model",
		"      from: 2026-01-01",
		"      until: 2026-06-30",
		"      input: 3",
		"      cache_write_5m: 3.75",
		"      cache_write_1h: '6'",
		"      cache_read: 0.30",
		"      output: 15",
		"      fast: 2",
		"      long_prompt: {above: 200000, input: 6, cache_write_5m: 7.50, cache_write_1h: 12, cache_read: 0.6, output: 22.5}",
		"    - {model: [second, claude-3-haiku], "+rates+"}",
	)
	want, err := pricing.Default().With([]pricing.Row{
		{
			Model: "first-model",
			From:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), Until: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
			Rates:      pricing.Rates{Input: 3_000_000, CacheWrite5m: 3_750_000, CacheWrite1h: 6_000_000, CacheRead: 300_000, Output: 15_000_000},
			Fast:       2,
			LongPrompt: 200_000,
			Long:       pricing.Rates{Input: 6_000_000, CacheWrite5m: 7_500_000, CacheWrite1h: 12_000_000, CacheRead: 600_000, Output: 22_500_000},
		},
		{Model: "second", Rates: pricing.Rates{Input: 1_000_000, CacheWrite5m: 1_250_000, CacheWrite1h: 2_000_000, CacheRead: 100_000, Output: 5_000_000}},
		{Model: "claude-3-haiku", Rates: pricing.Rates{Input: 1_000_000, CacheWrite5m: 1_250_000, CacheWrite1h: 2_000_000, CacheRead: 100_000, Output: 5_000_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Anchors shorten a table, as elsewhere in the file.
func TestPricingMerge(t *testing.T) {
	got := loadPrices(t, "pricing: {models: [&a {model: a, until: 2026-01-31, "+rates+"}, {<<: *a, model: b, until: null, output: 6}]}")
	row, ok := got.Row("b", 0)
	if !ok || row.Input != 1_000_000 || row.Output != 6_000_000 {
		t.Errorf("got %+v", row)
	}
}

func TestPricingErrors(t *testing.T) {
	one := func(changes string) string {
		return "pricing:\n  models:\n  - {model: a, " + rates + ",\n     " + changes + "}"
	}
	testLoadErrors(t, []loadError{
		{"another word", "pricing: on", ":1: pricing: expected off or a mapping"},
		{"false", "pricing: false", ":1: pricing: expected off or a mapping"},
		{"a list", "pricing: [off]", ":1: pricing: expected a mapping"},
		{"an unknown key", "pricing: {model: []}", `:1: unknown key "model" in pricing, expected one of models`},
		{"a mapping of models", "pricing: {models: {a: {}}}", ":1: pricing.models: expected a list"},
		{"an unknown key of a model", one("price: 1"), `:4: unknown key "price" in pricing.models[0], expected one of cache_read, cache_write_1h, cache_write_5m, fast, from, input, long_prompt, model, output, until`},
		{"no model", "pricing:\n  models:\n  - {" + rates + "}", ":3: pricing.models[0].model: missing"},
		{"an empty list of models", "pricing: {models: [{model: [], " + rates + "}]}", ":1: pricing.models[0].model: missing"},
		{"an empty id", "pricing: {models: [{model: [a, b/], " + rates + "}]}", `:1: pricing.models[0].model: "b/" is not the id of a model`},
		{"a mapping for a model", "pricing: {models: [{model: {a: b}, " + rates + "}]}", ":1: pricing.models[0].model: expected a list"},
		{
			"missing rates", "pricing:\n  models:\n  - model: a\n    input: 3\n    cache_read:\n    output: 5",
			":3: pricing.models[0].cache_write_5m: missing\n:3: pricing.models[0].cache_write_1h: missing\n:5: pricing.models[0].cache_read: missing",
		},
		{
			"missing keys of long prompts", one("long_prompt: {input: 1, cache_write_5m: 2, cache_read: 3, output: 4}"),
			":4: pricing.models[0].long_prompt.above: missing\n:4: pricing.models[0].long_prompt.cache_write_1h: missing",
		},
		{"a rate with a unit", strings.Replace(one("fast: 2"), "output: 5", "output: 5 USD", 1), ":3: pricing.models[0].output: expected US dollars per million tokens, such as 3 or 0.125"},
		{"a negative rate", strings.Replace(one("fast: 2"), "output: 5", "output: -5", 1), ":3: pricing.models[0].output: expected US dollars per million tokens, such as 3 or 0.125"},
		{"a list for a rate", strings.Replace(one("fast: 2"), "output: 5", "output: [5]", 1), ":3: pricing.models[0].output: expected US dollars per million tokens, such as 3 or 0.125"},
		{"a rate that is too fine", strings.Replace(one("fast: 2"), "output: 5", "output: 0.000001", 1), ":3: pricing.models[0].output: expected at most 5 decimal places"},
		{"a rate that is too large", strings.Replace(one("fast: 2"), "output: 5", "output: 100001", 1), ":3: pricing.models[0].output: expected at most 100000 US dollars per million tokens"},
		{"a rate of long prompts", one("long_prompt: {above: 1, input: x}"), ":4: pricing.models[0].long_prompt.input: expected US dollars per million tokens, such as 3 or 0.125"},
		{"a threshold of 0", one("long_prompt: {above: 0, " + rates + "}"), ":4: pricing.models[0].long_prompt.above: 0 is not between 1 and 1000000000"},
		{"a fraction as the factor", one("fast: 1.5"), ":4: pricing.models[0].fast: expected a whole number"},
		{"a factor of 0", one("fast: 0"), ":4: pricing.models[0].fast: 0 is not between 1 and 100"},
		{"a date with a time", one("from: 2026-01-01T00:00:00Z"), ":4: pricing.models[0].from: expected a date, such as 2026-01-31"},
		{"a day that does not exist", one("until: 2026-02-30"), ":4: pricing.models[0].until: expected a date, such as 2026-01-31"},
		{"a list for a date", one("until: [2026-02-01]"), ":4: pricing.models[0].until: expected a date, such as 2026-01-31"},
		{"a date of another age", one("until: 1999-12-31"), ":4: pricing.models[0].until: expected a date, such as 2026-01-31"},
		{"dates in the wrong order", one("from: 2026-02-01, until: 2026-01-31"), ":4: pricing.models[0].until: the last day is before the first"},
		{
			"overlapping dates", "pricing:\n  models:\n  - {model: a, until: 2026-01-31, " + rates + "}\n  - {model: [b, A], from: 2026-01-31, " + rates + "}",
			":4: pricing.models[1]: the price of a overlaps with that of pricing.models[0]",
		},
		{"the same model twice", "pricing: {models: [{model: [a, a-latest], " + rates + "}]}", ":1: pricing.models[0]: the price of a overlaps with that of pricing.models[0]"},
	})
}

// The example in the document is valid.
func TestPricingDocument(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "pricing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(strings.ReplaceAll(string(page), "\r\n", "\n"), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if _, ok := loadPrices(t, example).Row("my-gateway-model", 0); !ok {
		t.Errorf("no price in %s", example)
	}
}

// A period of one day is valid.
func TestPricingOneDay(t *testing.T) {
	table := loadPrices(t, "pricing: {models: [{model: claude-opus-5, from: 2026-02-01, until: 2026-02-01, "+rates+"}]}")
	day := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for at, want := range map[int64]uint64{day - 1: 5_000_000, day: 1_000_000, day + 86_400_000 - 1: 1_000_000, day + 86_400_000: 5_000_000} {
		if got := table.Price(pricing.Request{Model: "claude-opus-5", Time: at}); got.Input != want {
			t.Errorf("%d: got %d, want %d", at, got.Input, want)
		}
	}
}
