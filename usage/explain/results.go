package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// bytesPerToken converts the size of results to tokens: an estimate for English text
// and code.
const bytesPerToken = 4

// A toolSum is what the results of a tool added to a context.
type toolSum struct {
	results      int
	tokens, cost float64 // the cost in US dollars
}

// toolResults returns the facts of the results of tools. The tokens of a result are
// estimated by its size, and are at most what the context grew by: images are encoded
// in many bytes. They are written to the cache once, and read by each request until the
// context is compacted or cleared, at the mean prices of the session.
func toolResults(d *ledger.SessionDetail, main []*ledger.CountedRequest) (facts []Fact) {
	write, read := prices(main)
	sums, next := make(map[string]*toolSum), 0
	left := remaining(main)
	for i := 1; i < len(main); i++ {
		first := next
		for next < len(d.Results) && d.Results[next].When <= main[i].When {
			next++
		}
		grown := float64(main[i].Context()) - float64(main[i-1].Context())
		scale := 1.0
		if size := float64(sizeOf(d.Results[first:next])) / bytesPerToken; size > 0 {
			scale = max(0, min(1, grown/size))
		}
		for _, r := range d.Results[first:next] {
			sum := sums[r.Tool]
			if sum == nil {
				sum = new(toolSum)
				sums[r.Tool] = sum
			}
			tokens := scale * float64(r.Bytes) / bytesPerToken
			sum.results++
			sum.tokens += tokens
			sum.cost += tokens * (write + float64(left[i])*read)
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(sums)) {
		facts = append(facts, toolFact(tool, sums[tool]))
	}
	slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(b.CostUSD, a.CostUSD) })
	return facts[:min(len(facts), maxTools)]
}

// maxTools is the number of tools whose results are facts, the most expensive ones.
const maxTools = 3

func toolFact(tool string, sum *toolSum) Fact {
	f := Fact{
		Kind: ToolResults, Name: tool, Tokens: uint64(sum.tokens), CostUSD: sum.cost,
		Advice: "Ask for parts of large files and outputs, or let a sub-agent read them.",
	}
	if strings.HasPrefix(tool, "mcp__") {
		f.Advice = "Ask this MCP tool for less at a time, or let a sub-agent call it."
	}
	f.Text = fmt.Sprintf("%s of %s added about %s tokens to the context: about %s to send them with each later request.",
		format.Count(sum.results, "result", "results"), tool, format.Short(sum.tokens), format.USD(sum.cost))
	return f
}

func sizeOf(results []ledger.SessionResult) (bytes uint64) {
	for i := range results {
		bytes += results[i].Bytes
	}
	return bytes
}

// prices returns the mean prices of writing a token to the cache, or sending it without
// the cache, and of reading it, in US dollars.
func prices(requests []*ledger.CountedRequest) (write, read float64) {
	var written, readTokens, writeCost, readCost uint64
	for _, r := range requests {
		u, c := &r.Usage, &r.Cost
		written += u.Input + u.CacheWrite5m + u.CacheWrite1h
		writeCost += c.Input + c.CacheWrite5m + c.CacheWrite1h
		readTokens += u.CacheRead
		readCost += c.CacheRead
	}
	return usd(writeCost) / float64(max(1, written)), usd(readCost) / float64(max(1, readTokens))
}

// remaining returns how many requests follow each request until the context becomes
// smaller than half of it: it was compacted or cleared.
func remaining(main []*ledger.CountedRequest) []int {
	left := make([]int, len(main))
	for i := len(main) - 2; i >= 0; i-- {
		if 2*main[i+1].Context() >= main[i].Context() {
			left[i] = left[i+1] + 1
		}
	}
	return left
}
