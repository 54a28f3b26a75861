package pricing

import "time"

// updated is the day when the rows below were last compared with the list prices.
// Update it with the rows.
const updated = "2026-11-28"

// usd is one US dollar per million tokens as a rate. An untyped constant is exact, and
// the compiler rejects a rate that is not a whole number of 10^-12 dollars per token.
const usd = 1e6

// webSearch is the price of a web search, in 10^-12 US dollars.
const webSearch = 0.01 * 1e12

// builtin returns the list prices: one line for each model and period. The columns of
// rates are input, 5m cache writes, 1h cache writes, cache reads and output. A price
// that changes gets a second line, and the first line an Until, the day of the change.
// Models before Sonnet 4.5 cost the same in all regions of Amazon Bedrock. Several
// third parties state that later models do not; Claude Code 2.1.332 charges the
// remaining prices, except in regions, in its own books.
func builtin() []Row {
	long200k := Rates{6 * usd, 7.50 * usd, 12 * usd, 0.60 * usd, 22.50 * usd}
	long100k := Rates{0.50 * usd, 0.625 * usd, 1 * usd, 0.05 * usd, 2.50 * usd}
	return []Row{
		{Model: "claude-fable-5-2", From: day(2026_11_09), Rates: Rates{8 * usd, 10 * usd, 16 * usd, 0.20 * usd, 40 * usd}, Fast: 2},
		{Model: "claude-fable-5-1", From: day(2026_09_01), Rates: Rates{10 * usd, 12.50 * usd, 20 * usd, 0.25 * usd, 50 * usd}},
		{Model: "claude-fable-5", From: day(2026_06_09), Rates: Rates{10 * usd, 12.50 * usd, 20 * usd, 1 * usd, 50 * usd}},

		{Model: "claude-mythos-5-1", From: day(2026_09_01), Rates: Rates{10 * usd, 12.50 * usd, 20 * usd, 0.25 * usd, 50 * usd}},
		{Model: "claude-mythos-5", From: day(2026_06_09), Rates: Rates{10 * usd, 12.50 * usd, 20 * usd, 1 * usd, 50 * usd}},

		{Model: "claude-opus-5-5", From: day(2026_09_22), Rates: Rates{4 * usd, 5 * usd, 8 * usd, 0.20 * usd, 20 * usd}, Fast: 2},
		{Model: "claude-opus-5", Rates: Rates{5 * usd, 6.25 * usd, 10 * usd, 0.50 * usd, 25 * usd}, Fast: 2},
		{Model: "claude-opus-4-8", Rates: Rates{5 * usd, 6.25 * usd, 10 * usd, 0.50 * usd, 25 * usd}, Fast: 2},
		{Model: "claude-opus-4-7", Rates: Rates{5 * usd, 6.25 * usd, 10 * usd, 0.50 * usd, 25 * usd}, Fast: 6},
		{Model: "claude-opus-4-6", Rates: Rates{5 * usd, 6.25 * usd, 10 * usd, 0.50 * usd, 25 * usd}, Fast: 6},
		{Model: "claude-opus-4-5", Rates: Rates{5 * usd, 6.25 * usd, 10 * usd, 0.50 * usd, 25 * usd}},
		{Model: "claude-opus-4-1", SameInRegions: true, Rates: Rates{15 * usd, 18.75 * usd, 30 * usd, 1.50 * usd, 75 * usd}},
		{Model: "claude-opus-4", SameInRegions: true, Rates: Rates{15 * usd, 18.75 * usd, 30 * usd, 1.50 * usd, 75 * usd}},
		{Model: "claude-3-opus", SameInRegions: true, Rates: Rates{15 * usd, 18.75 * usd, 30 * usd, 1.50 * usd, 75 * usd}},

		{Model: "claude-sonnet-5-5", From: day(2026_09_28), Until: day(2026_10_07), Rates: Rates{2 * usd, 2.50 * usd, 4 * usd, 0.20 * usd, 10 * usd}},
		{Model: "claude-sonnet-5-5", From: day(2026_10_07), Rates: Rates{2 * usd, 2.50 * usd, 4 * usd, 0.10 * usd, 10 * usd}},
		{Model: "claude-sonnet-5", From: day(2026_06_30), Rates: Rates{2 * usd, 2.50 * usd, 4 * usd, 0.20 * usd, 10 * usd}},
		{Model: "claude-sonnet-4-6", Rates: Rates{3 * usd, 3.75 * usd, 6 * usd, 0.30 * usd, 15 * usd}},
		{Model: "claude-sonnet-4-5", Rates: Rates{3 * usd, 3.75 * usd, 6 * usd, 0.30 * usd, 15 * usd}, LongPrompt: 200_000, Long: long200k},
		{Model: "claude-sonnet-4", SameInRegions: true, Rates: Rates{3 * usd, 3.75 * usd, 6 * usd, 0.30 * usd, 15 * usd}, LongPrompt: 200_000, Long: long200k},
		{Model: "claude-3-7-sonnet", SameInRegions: true, Rates: Rates{3 * usd, 3.75 * usd, 6 * usd, 0.30 * usd, 15 * usd}},
		{Model: "claude-3-5-sonnet", SameInRegions: true, Rates: Rates{3 * usd, 3.75 * usd, 6 * usd, 0.30 * usd, 15 * usd}},

		{Model: "claude-haiku-5-5", From: day(2026_10_07), Rates: Rates{0.10 * usd, 0.125 * usd, 0.20 * usd, 0.01 * usd, 0.50 * usd}, LongPrompt: 100_000, Long: long100k},
		{Model: "claude-haiku-4-5", Rates: Rates{1 * usd, 1.25 * usd, 2 * usd, 0.10 * usd, 5 * usd}},
		{Model: "claude-3-5-haiku", SameInRegions: true, Rates: Rates{0.80 * usd, 1 * usd, 1.60 * usd, 0.08 * usd, 4 * usd}},
		{Model: "claude-3-haiku", SameInRegions: true, Rates: Rates{0.25 * usd, 0.30 * usd, 0.50 * usd, 0.03 * usd, 1.25 * usd}},
	}
}

// day returns the beginning of a day in UTC, as in Row.From. Its digits are a date.
func day(date int) int64 {
	return time.Date(date/1_00_00, time.Month(date/1_00%1_00), date%1_00, 0, 0, 0, 0, time.UTC).UnixMilli()
}
