package corpus

import "time"

// An era is a time in which Claude Code wrote messages in one way. How common
// it is, is by the messages that were found of it.
type era struct {
	weight    int
	from, to  int64 // in milliseconds since the epoch
	versions  []version
	models    []string
	main, sub []share
}

// A share says how many of a hundred messages are streamed in a way.
type share struct {
	percent int
	stream  stream
}

// A stream is a way to write one response as several entries, one a block.
type stream int

const (
	// placeholders repeats the first, tiny count of output; there never is a stop reason.
	placeholders stream = iota
	// unstopped has the true count in all entries, and no stop reason.
	unstopped
	// growing has the true count in the last entry only, and no stop reason.
	growing
	// lastFinal has the true count and the stop reason in the last entry.
	lastFinal
	// allFinal has both in every entry.
	allFinal
	// zeroFirst begins without any counts of what was sent, as gateways do.
	zeroFirst
	// estimateFirst begins with an estimate that is too high, as gateways do.
	estimateFirst
)

// eras are all of them, the oldest first. What changed within one goes by the
// version.
var eras = []era{
	{
		weight: 8, from: day(2025, 6, 15), to: day(2025, 9, 20),
		versions: []version{v(1, 0, 17), v(1, 0, 57), v(1, 0, 98), v(1, 0, 108)},
		models:   []string{"claude-opus-4-20250514", "claude-sonnet-4-20250514", "claude-3-5-haiku-20241022"},
		main:     []share{{55, growing}, {15, unstopped}, {30, lastFinal}},
	}, {
		weight: 10, from: day(2025, 10, 1), to: day(2025, 11, 15),
		versions: []version{v(2, 0, 8), v(2, 0, 19), v(2, 0, 28), v(2, 0, 29), v(2, 0, 36)},
		models:   []string{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"},
		main:     []share{{40, growing}, {40, unstopped}, {20, allFinal}},
		sub:      []share{{60, growing}, {40, unstopped}},
	}, {
		weight: 18, from: day(2025, 11, 16), to: day(2026, 1, 3),
		versions: []version{v(2, 0, 64), v(2, 0, 72), v(2, 0, 74), v(2, 0, 76)},
		models:   []string{"claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"},
		main:     []share{{40, growing}, {45, placeholders}, {15, lastFinal}},
		sub:      []share{{30, growing}, {70, placeholders}},
	}, {
		weight: 50, from: day(2026, 1, 4), to: day(2026, 1, 15),
		versions: []version{v(2, 1, 1), v(2, 1, 4), v(2, 1, 5), v(2, 1, 6), v(2, 1, 7)},
		models:   []string{"claude-opus-4-5-20251101", "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"},
		main:     []share{{50, growing}, {38, placeholders}, {12, lastFinal}},
		sub:      []share{{30, growing}, {70, placeholders}},
	}, {
		weight: 120, from: day(2026, 1, 16), to: day(2026, 2, 3),
		versions: []version{v(2, 1, 9), v(2, 1, 12), v(2, 1, 14), v(2, 1, 16), v(2, 1, 17), v(2, 1, 19), v(2, 1, 22), v(2, 1, 27)},
		models:   []string{"claude-opus-4-5-20251101", "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"},
		main:     []share{{100, placeholders}},
		sub:      []share{{100, placeholders}},
	}, {
		weight: 220, from: day(2026, 2, 4), to: day(2026, 3, 1),
		versions: []version{v(2, 1, 34), v(2, 1, 37), v(2, 1, 39), v(2, 1, 42), v(2, 1, 49), v(2, 1, 50), v(2, 1, 52), v(2, 1, 56)},
		models:   []string{"claude-opus-4-6", "claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"},
		main:     []share{{50, placeholders}, {26, unstopped}, {24, growing}},
		sub:      []share{{76, placeholders}, {24, unstopped}},
	}, {
		weight: 60, from: day(2026, 3, 2), to: day(2026, 4, 6),
		versions: []version{v(2, 1, 62), v(2, 1, 69), v(2, 1, 71), v(2, 1, 76), v(2, 1, 81), v(2, 1, 89), v(2, 1, 92), v(2, 1, 96)},
		models:   []string{"claude-opus-4-6", "claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"},
		main:     []share{{95, lastFinal}, {5, placeholders}},
		sub:      []share{{95, lastFinal}, {5, placeholders}},
	}, {
		weight: 120, from: day(2026, 4, 7), to: day(2026, 6, 20),
		versions: []version{v(2, 1, 97), v(2, 1, 105), v(2, 1, 116), v(2, 1, 119), v(2, 1, 123), v(2, 1, 144), v(2, 1, 156)},
		models:   []string{"claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-8", "claude-haiku-4-5-20251001"},
		main:     []share{{1000, allFinal}, {1, placeholders}},
		sub:      []share{{82, lastFinal}, {7, allFinal}, {11, placeholders}},
	}, {
		weight: 55, from: day(2026, 6, 21), to: day(2026, 8, 31),
		versions: []version{v(2, 1, 185), v(2, 1, 212), v(2, 1, 220), v(2, 1, 222), v(2, 1, 226), v(2, 1, 229), v(2, 1, 231), v(2, 1, 232)},
		models:   []string{"claude-opus-5", "claude-opus-5", "claude-sonnet-5", "claude-opus-4-8", "claude-haiku-4-5-20251001"},
		main:     []share{{1000, allFinal}, {1, placeholders}},
		sub:      []share{{82, lastFinal}, {18, placeholders}},
	}, {
		weight: 60, from: day(2026, 9, 1), to: day(2026, 11, 18),
		versions: []version{v(2, 1, 240), v(2, 1, 252), v(2, 1, 261), v(2, 1, 275), v(2, 1, 287), v(2, 1, 300), v(2, 1, 311), v(2, 1, 327)},
		models:   []string{"claude-opus-5", "claude-opus-5", "claude-sonnet-5", "claude-opus-4-8", "claude-haiku-4-5-20251001"},
		main:     []share{{1000, allFinal}, {1, placeholders}},
		sub:      []share{{80, lastFinal}, {20, placeholders}},
	},
}

func weightOfEra(e *era) int { return e.weight }

func percentOf(s *share) int { return s.percent }

// A provider is who answered: the API itself or something before it. Their ids
// are of many shapes.
type provider struct {
	weight  int
	since   version
	message func(dice) string
	tool    func(dice) string
	request bool // entries have a requestId
	models  []string
	streams []share // nil: those of the era
}

var gatewayStreams = []share{{84, zeroFirst}, {16, estimateFirst}}

var providers = []provider{
	{weight: 880, message: ids("msg_01", base62Digits, 22), tool: ids("toolu_01", base62Digits, 22), request: true},
	{weight: 40, since: v(2, 1, 64), message: ids("msg_bdrk_01", base62Digits, 22), tool: ids("toolu_bdrk_01", base62Digits, 22), streams: gatewayStreams},
	{weight: 20, since: v(2, 1, 64), message: ids("msg_vrtx_01", base62Digits, 22), tool: ids("toolu_vrtx_01", base62Digits, 22), request: true, streams: gatewayStreams},
	{weight: 30, since: v(2, 1, 64), message: dashed, tool: ids("tooluse_", base62Digits, 22), models: []string{"claude-sonnet-4.6", "claude-opus-4.6"}, streams: gatewayStreams},
	{weight: 10, since: v(2, 0, 8), message: dashed, tool: ids("call_00_", base62Digits, 24), models: []string{"deepseek-v3.2"}},
	{weight: 15, since: v(2, 1, 64), message: ids("", hexDigits, 32), tool: ids("call_function_", base62Digits, 12), models: []string{"MiniMax-M2.1", "glm-5.1"}, streams: gatewayStreams},
	{weight: 5, since: v(2, 1, 64), message: ids("chatcmpl-", hexDigits, 32), tool: ids("chatcmpl-tool-", hexDigits, 32), models: []string{"qwen3-coder"}, streams: gatewayStreams},
}

func ids(prefix, digits string, n int) func(dice) string {
	return func(d dice) string { return d.digits(prefix, digits, n) }
}

func dashed(d dice) string {
	u := d.uuid()
	return string(u[:])
}

// date draws a moment of the era, in milliseconds since the epoch.
func (e *era) date(d dice) int64 { return e.from + d.Int64N(e.to-e.from) }

func day(year int, month time.Month, day int) int64 {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
}
