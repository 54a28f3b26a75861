package usage

import (
	"math"
	"slices"
	"strconv"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Measure is a number that describes usage.
type Measure int

// The measures. Amounts of money are in billionths of a US dollar, and ToolTime in
// milliseconds.
const (
	Cost Measure = iota
	InputTokens
	OutputTokens
	CacheReadTokens
	CacheWrite5mTokens
	CacheWrite1hTokens
	Requests
	Prompts  // including Commands
	Commands // slash commands, and commands of the shell after an exclamation mark
	Turns
	Sessions
	Subagents
	ToolCalls
	ToolErrors
	ToolResults // with a known tool time
	ToolTime
	ToolResultBytes
	Compactions
	APIErrors
	Interruptions
	LinesAdded
	LinesRemoved
	CacheSavings
	UnpricedTokens
	RewrittenTokens
	RewrittenCost
	WebSearchCost
	FastPremium
	SubagentCost
	measureCount
)

// A definition states which series a measure adds up.
type definition struct {
	name   string // in JSON
	family string
	label  string // with one of these values, if it is not empty
	values []string
	sum    bool // the sum of a histogram, not the count
}

var definitions = [measureCount]definition{
	Cost:               {name: "cost_usd", family: "claude_cost_usd_total"},
	InputTokens:        {name: "input_tokens", family: "claude_tokens_total", label: "type", values: []string{"input"}},
	OutputTokens:       {name: "output_tokens", family: "claude_tokens_total", label: "type", values: []string{"output"}},
	CacheReadTokens:    {name: "cache_read_tokens", family: "claude_tokens_total", label: "type", values: []string{"cache_read"}},
	CacheWrite5mTokens: {name: "cache_write_5m_tokens", family: "claude_tokens_total", label: "type", values: []string{"cache_write_5m"}},
	CacheWrite1hTokens: {name: "cache_write_1h_tokens", family: "claude_tokens_total", label: "type", values: []string{"cache_write_1h"}},
	Requests:           {name: "requests", family: "claude_requests_total"},
	Prompts:            {name: "prompts", family: "claude_prompts_total"},
	Commands:           {name: "commands", family: "claude_prompts_total", label: "kind", values: []string{"command", "local_command", "bash"}},
	Turns:              {name: "turns", family: "claude_turns_total"},
	Sessions:           {name: "sessions", family: "claude_sessions_total"},
	Subagents:          {name: "subagents", family: "claude_subagents_total"},
	ToolCalls:          {name: "tool_calls", family: "claude_tool_calls_total"},
	ToolErrors:         {name: "tool_errors", family: "claude_tool_errors_total"},
	ToolResults:        {name: "tool_results", family: "claude_tool_duration_seconds"},
	ToolTime:           {name: "tool_seconds", family: "claude_tool_duration_seconds", sum: true},
	ToolResultBytes:    {name: "tool_result_bytes", family: "claude_tool_result_bytes_total"},
	Compactions:        {name: "compactions", family: "claude_compactions_total"},
	APIErrors:          {name: "api_errors", family: "claude_api_errors_total"},
	Interruptions:      {name: "interruptions", family: "claude_interruptions_total"},
	LinesAdded:         {name: "lines_added", family: "claude_lines_changed_total", label: "change", values: []string{"added"}},
	LinesRemoved:       {name: "lines_removed", family: "claude_lines_changed_total", label: "change", values: []string{"removed"}},
	CacheSavings:       {name: "cache_savings_usd", family: "claude_cache_savings_usd_total"},
	UnpricedTokens:     {name: "unpriced_tokens", family: "claude_unpriced_tokens"},
	RewrittenTokens:    {name: "cache_rewritten_tokens", family: "claude_cache_rewritten_tokens_total"},
	RewrittenCost:      {name: "cache_rewritten_usd", family: "claude_cache_rewritten_cost_usd_total"},
	WebSearchCost:      {name: "web_search_usd", family: "claude_cost_usd_total", label: "component", values: []string{"web_search"}},
	FastPremium:        {name: "fast_mode_premium_usd", family: "claude_fast_mode_premium_usd_total"},
	SubagentCost:       {name: "subagent_cost_usd", family: "claude_cost_usd_total", label: "agent", values: []string{"subagent"}},
}

// String returns the name of the measure in JSON.
func (m Measure) String() string { return definitions[m].name }

// divisors convert stored numbers to the units of the measures' names.
var divisors = func() (all [measureCount]float64) {
	for _, f := range ledger.Families(ledger.Options{}) {
		for _, m := range measuresOf(f.Name) {
			all[m] = 1
			if f.Type != counters.Histogram || definitions[m].sum {
				all[m] = float64(f.Divisor())
			}
		}
	}
	return all
}()

// append appends a stored number in the unit of the measure's name, as JSON.
func (m Measure) append(b []byte, n uint64) []byte {
	if divisors[m] == 1 {
		return strconv.AppendUint(b, n, 10)
	}
	return strconv.AppendFloat(b, float64(n)/divisors[m], 'f', -1, 64)
}

// stored returns the number that is stored for one in the unit of the measure's name.
func (m Measure) stored(n float64) uint64 { return uint64(math.Round(max(0, n) * divisors[m])) }

// measuresOf returns the measures that add up series of a family.
func measuresOf(family string) []Measure {
	var measures []Measure
	for m := range definitions {
		if definitions[m].family == family {
			measures = append(measures, Measure(m))
		}
	}
	return measures
}

// has reports whether a measure adds up a series of its family.
func (d *definition) has(f *counters.Family, s *counters.SeriesHistory) bool {
	return d.label == "" || slices.Contains(d.values, s.Labels[slices.Index(f.Labels, d.label)])
}

// Values are the numbers of all measures. Measures that do not apply are 0.
type Values [measureCount]uint64

// USD returns the cost in US dollars.
func (v *Values) USD() float64 { return v.In(Cost) }

// In returns a measure in the unit of its name: US dollars, seconds, or a count.
func (v *Values) In(m Measure) float64 { return float64(v[m]) / divisors[m] }

// Tokens returns the number of tokens of all types.
func (v *Values) Tokens() uint64 {
	return v[InputTokens] + v[OutputTokens] + v.CacheTokens()
}

// CacheTokens returns the number of tokens that were read from or written to the cache.
func (v *Values) CacheTokens() uint64 {
	return v[CacheReadTokens] + v[CacheWrite5mTokens] + v[CacheWrite1hTokens]
}

// PromptTokens returns the number of tokens that were sent to models.
func (v *Values) PromptTokens() uint64 { return v[InputTokens] + v.CacheTokens() }

// FreshInput returns the number of input tokens that were not read from the cache:
// tokens written to it, and uncached tokens.
func (v *Values) FreshInput() uint64 {
	return v[InputTokens] + v[CacheWrite5mTokens] + v[CacheWrite1hTokens]
}

// CacheHitRatio returns the share of prompt tokens that were read from the cache, from
// 0 to 1. ok is false without prompt tokens.
func (v *Values) CacheHitRatio() (ratio float64, ok bool) {
	prompt := v.PromptTokens()
	return float64(v[CacheReadTokens]) / float64(max(1, prompt)), prompt > 0
}

// ToolErrorRatio returns the share of tool calls that failed, from 0 to 1. ok is false
// without calls, and if there are more errors than calls: an error counts at the time
// of its result, which may be later than the period of the call.
func (v *Values) ToolErrorRatio() (ratio float64, ok bool) {
	calls, errors := v[ToolCalls], v[ToolErrors]
	return float64(errors) / float64(max(1, calls)), calls > 0 && errors <= calls
}

// Add adds other values.
func (v *Values) Add(other *Values) {
	for m, n := range other {
		v[m] = counters.SaturatingAdd(v[m], n)
	}
}
