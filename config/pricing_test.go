package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/difftest"
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
		t.Errorf("the prices differ:\n%s", difftest.Diff(want, got))
	}
}

// A multiplier applies to all models, or to the models of an entry with or without
// prices.
func TestPricingMultiplier(t *testing.T) {
	got := loadPrices(
		t,
		"pricing:",
		"  multiplier: 0.85",
		"  models:",
		"    - {model: [claude-opus-5, claude-sonnet-5], multiplier: '0.5', until: 2026-06-30}",
		"    - {model: claude-opus-5, multiplier: 1, from: 2026-07-01}",
		"    - {model: first, "+rates+"}",
		"    - {model: second, multiplier: 2, "+rates+"}",
	)
	before, after := time.Date(2026, 6, 30, 23, 59, 0, 0, time.UTC).UnixMilli(), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, test := range []struct {
		model  string
		time   int64
		output uint64
	}{
		{"claude-opus-5", before, 12_500_000},
		{"claude-opus-5", after, 25_000_000},
		{"claude-sonnet-5", before, 5_000_000},
		{"claude-sonnet-5", after, 8_500_000},
		{"claude-haiku-4-5", after, 4_250_000},
		{"first", after, 4_250_000},
		{"second", after, 10_000_000},
	} {
		if price := got.Price(pricing.Request{Model: test.model, Time: test.time}); price.Output != test.output {
			t.Errorf("%s: got %d, want %d", test.model, price.Output, test.output)
		}
	}
}

// An id that names no model has the price of its alias, at every date.
func TestPricingAliases(t *testing.T) {
	const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6"
	got := loadPrices(
		t,
		"pricing:",
		"  multiplier: 0.5",
		"  models: [{model: my-model, "+rates+"}]",
		"  aliases:",
		"    "+arn+": claude-sonnet-5-5",
		"    'team:opus': claude-opus-4-8",
		"    other: my-model",
	)
	october := func(day int) int64 { return time.Date(2026, 10, day, 0, 0, 0, 0, time.UTC).UnixMilli() }
	for _, test := range []struct {
		pricing.Request
		read uint64
	}{
		{pricing.Request{Model: arn, Time: october(6)}, 100_000},
		{pricing.Request{Model: arn, Time: october(7)}, 50_000},
		{pricing.Request{Model: "team:opus", Fast: true}, 500_000},
		{pricing.Request{Model: "team:opus[1m]"}, 250_000},
		{pricing.Request{Model: "other"}, 50_000},
	} {
		if price := got.Price(test.Request); price.CacheRead != test.read {
			t.Errorf("%+v: got %d, want %d", test.Request, price.CacheRead, test.read)
		}
	}
}

// The factor of a source is found by its labels, whatever its directories.
func TestPriceMultiplier(t *testing.T) {
	dir := t.TempDir()
	load := func(text string) func(counters.SourceLabels) pricing.Multiplier {
		c, err := Load(write(t, dir, "sources:", text), environ(dir))
		if err != nil {
			t.Fatal(err)
		}
		return c.PriceMultiplier()
	}
	of := load("  - {path: '" + dir + "/*/a', labels: {user: '{1}'}}\n" +
		"  - {path: '" + dir + "/*/b', labels: {user: '{1}', cloud: vertex}, price_multiplier: 1.1}\n" +
		"  - {path: '" + dir + "/c', labels: {team: c.d}, price_multiplier: '1.0'}\n" +
		"  - {path: '" + dir + "/x-*/d', labels: {account: 'x-{1}'}, price_multiplier: 0.9}")
	for _, test := range []struct {
		labels map[string]string
		want   pricing.Multiplier
	}{
		{nil, 0},
		{map[string]string{"user": "ann"}, 0},
		{map[string]string{"cloud": "vertex"}, 0},
		{map[string]string{"user": "ann", "cloud": "vertex"}, 1_100_000},
		{map[string]string{"user": "", "cloud": "vertex"}, 1_100_000},
		{map[string]string{"user": "ann", "cloud": "bedrock"}, 0},
		{map[string]string{"account": "x-y\nz"}, 900_000},
		{map[string]string{"account": "y"}, 0},
		{map[string]string{"team": "c.d"}, 1_000_000},
		{map[string]string{"team": "cxd"}, 0},
	} {
		if got := of(counters.NewSourceLabels(test.labels)); got != test.want {
			t.Errorf("%v: got %v, want %v", test.labels, got, test.want)
		}
	}
	if load("  - {path: '"+dir+"/a'}") != nil {
		t.Error("without a factor there is a function")
	}
	if got := load("  - {path: '" + dir + "/a', price_multiplier: 1.2}")(""); got != 1_200_000 {
		t.Errorf("a single source: got %v", got)
	}
}

// Anchors shorten a table, as elsewhere in the file.
func TestPricingMerge(t *testing.T) {
	got := loadPrices(t, "pricing: {models: [&a {model: a, until: 2026-01-31, "+rates+"}, {<<: *a, model: b, until: null, output: 6}]}")
	price := got.Price(pricing.Request{Model: "b"})
	if price.Input != 1_000_000 || price.Output != 6_000_000 {
		t.Errorf("got %+v", price)
	}
}

// The examples in the document are valid.
func TestPricingDocument(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "pricing.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(strings.ReplaceAll(string(page), "\r\n", "\n"), "```yaml\n")[1:]
	for i, model := range []string{"claude-opus-6", "a1b2c3d4e5f6", "my-gateway-model", "claude-opus-5"} {
		example, _, _ := strings.Cut(examples[i], "```")
		if loadPrices(t, example).Price(pricing.Request{Model: model}).Unknown {
			t.Errorf("no price of %s in %s", model, example)
		}
	}
	if len(examples) != 4 {
		t.Errorf("got %d examples", len(examples))
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
