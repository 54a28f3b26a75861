// Package explain states what made usage expensive, and what to do about it: facts that
// have a number each, without a grade.
package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A Kind is what a fact is about.
type Kind string

// The kinds of facts.
const (
	Rewritten    Kind = "cache_rewritten" // tokens written to the cache again, by reason
	LargeContext Kind = "large_context"   // requests with a large context
	Subagents    Kind = "subagents"
	ToolResults  Kind = "tool_results" // in the context, by tool
	WebSearch    Kind = "web_search"
	FastMode     Kind = "fast_mode"
)

// A Fact is one thing that made usage expensive. Facts overlap: their costs do not add
// up to the cost of the usage.
type Fact struct {
	Kind Kind `json:"kind"`
	// Name is the reason of Rewritten, and the tool of ToolResults.
	Name     string  `json:"name,omitempty"`
	Requests int     `json:"requests,omitempty"`
	Tokens   uint64  `json:"tokens,omitempty"`
	CostUSD  float64 `json:"cost_usd"`
	Text     string  `json:"text"`             // a sentence with the numbers
	Advice   string  `json:"advice,omitempty"` // what to do; empty if there is nothing to do
}

// minUSD is the cost of the smallest fact.
const minUSD = 0.01

// worth returns the facts that are worth at least a cent, the most expensive first.
// Each advice is given once.
func worth(facts []Fact) []Fact {
	facts = slices.DeleteFunc(facts, func(f Fact) bool { return f.CostUSD < minUSD })
	slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(b.CostUSD, a.CostUSD) })
	given := make(map[string]bool)
	for i := range facts {
		f := &facts[i]
		if given[f.Advice] {
			f.Advice = ""
		} else {
			given[f.Advice] = true
		}
	}
	return facts
}

// ReasonLabel is the label of the reasons of tokens written to the cache again.
const ReasonLabel = "reason"

// OfReasons are the measures that OfPeriod needs by ReasonLabel, and OfTotal the
// measures that it needs of all usage.
var (
	OfReasons = []usage.Measure{usage.RewrittenTokens, usage.RewrittenCost}
	OfTotal   = []usage.Measure{usage.Cost, usage.WebSearchCost, usage.FastPremium, usage.SubagentCost}
)

// OfPeriod returns the facts of some usage: of the measures OfReasons by ReasonLabel,
// and of the measures OfTotal.
func OfPeriod(byReason *usage.Usage, total *usage.Values) []Fact {
	rewrites := make(map[string]rewrite)
	for i := range byReason.Rows {
		r := &byReason.Rows[i]
		sum := rewrites[r.Labels[0]]
		sum.values.Add(&r.Values)
		rewrites[r.Labels[0]] = sum
	}
	facts := append(rewriteFacts(rewrites), extras(total)...)
	agents := total.In(usage.SubagentCost)
	return worth(append(facts, Fact{
		Kind: Subagents, CostUSD: agents, Text: fmt.Sprintf("Sub-agents cost %s%s.", format.USD(agents), shareOf(agents, total.USD(), "all")),
		Advice: "Give them a smaller model where it suffices.",
	}))
}

// extras returns the facts of web searches and fast mode.
func extras(v *usage.Values) []Fact {
	searches, fast := v.In(usage.WebSearchCost), v.In(usage.FastPremium)
	return []Fact{
		{
			Kind: WebSearch, CostUSD: searches, Text: fmt.Sprintf("Web searches cost %s.", format.USD(searches)),
			Advice: "Each search has a price of its own: name the pages to read where you know them.",
		},
		{
			Kind: FastMode, CostUSD: fast, Text: fmt.Sprintf("Fast mode cost %s more than standard speed.", format.USD(fast)),
			Advice: "Turn fast mode off where you do not wait for the answer.",
		},
	}
}

// A reason is why tokens were written to the cache again.
type reason struct{ name, when, advice string }

// reasons are the texts by the value of ReasonLabel.
var reasons = map[string]reason{
	"idle_expired": {
		"Idle too long", "after a pause in which the cache expired",
		"Answer before the cache expires, use the 1-hour cache for work with pauses, or /clear if you continue with something else.",
	},
	"after_compaction": {"Compaction", "after a compaction", "Compact or /clear between two tasks, while the context is small."},
	"model_change":     {"Model changed", "because the model changed", "Choose the model before the context is long."},
	"system_changed":   {"System prompt changed", "because the system prompt changed", "Change instructions and settings between sessions, not within one."},
	"tools_changed":    {"Tools changed", "because the tools changed", "Use fewer MCP tools, and do not connect or remove servers within a session."},
	"unexplained":      {"Unexplained", "for a reason that no transcript states", ""},
}

// ReasonName returns a reason in words.
func ReasonName(label string) string { return cmp.Or(reasons[label].name, label) }

// A rewrite adds up what was written to the cache again for one reason.
type rewrite struct {
	requests int          // 0 if not known
	values   usage.Values // the measures OfReasons
}

// rewriteFacts returns the facts of tokens written to the cache again, by reason.
func rewriteFacts(byReason map[string]rewrite) (facts []Fact) {
	for _, label := range slices.Sorted(maps.Keys(byReason)) {
		r, sum := reasons[label], byReason[label]
		tokens, cost := sum.values[usage.RewrittenTokens], sum.values.In(usage.RewrittenCost)
		facts = append(facts, Fact{
			Kind: Rewritten, Name: label, Requests: sum.requests, Tokens: tokens, CostUSD: cost, Advice: r.advice,
			Text: fmt.Sprintf("%s tokens were written to the cache again %s: %s more than reading them.",
				format.Short(float64(tokens)), cmp.Or(r.when, "("+label+")"), format.USD(cost)),
		})
	}
	return facts
}
