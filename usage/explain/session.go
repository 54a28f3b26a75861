package explain

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A Session explains the cost of one session, by its transcripts.
type Session struct {
	// PeakContext and MeanContext are numbers of tokens that requests of the main
	// conversation sent; 0 without a request.
	PeakContext uint64 `json:"peak_context_tokens,omitempty"`
	MeanContext uint64 `json:"mean_context_tokens,omitempty"`
	// CostUSD is the cost of the whole session, of which Facts are parts.
	CostUSD float64 `json:"cost_usd"`
	Facts   []Fact  `json:"facts"`
}

// OfSession explains the cost of a session.
func OfSession(d *ledger.SessionDetail) (Session, error) {
	u, err := usage.Compute(&d.History, usage.Query{
		By: []string{partLabel}, Where: map[string][]string{partLabel: d.Parts()},
		Only: OfTotal,
	})
	if err != nil {
		return Session{}, err
	}
	main := mainRequests(d)
	s := Session{Facts: append(rewrites(d), extras(&u.Total)...)}
	s.PeakContext, s.MeanContext = contexts(main)
	s.CostUSD = u.Total.USD()
	s.Facts = append(s.Facts, largeContext(main, &s), subagents(d, &u))
	s.Facts = worth(append(s.Facts, toolResults(d, main)...))
	return s, nil
}

// partLabel is the label of the parts in the history of a session, see
// ledger.SessionDetail.
const partLabel = "project"

// mainRequests returns the requests of the main conversation.
func mainRequests(d *ledger.SessionDetail) (main []*ledger.CountedRequest) {
	for i := range d.Requests {
		if r := &d.Requests[i]; r.Project == ledger.MainPart && r.Context() > 0 {
			main = append(main, r)
		}
	}
	return main
}

func usd(nano uint64) float64 { return float64(nano) / 1e9 }

// rewrites returns the facts of tokens written to the cache again, by reason.
func rewrites(d *ledger.SessionDetail) (facts []Fact) {
	byReason := make(map[string]rewrite)
	for i := range d.Requests {
		if use := &d.Requests[i].Cache; use.Rewritten > 0 {
			sum := byReason[use.Reason]
			sum.requests++
			sum.values[usage.RewrittenTokens] += use.Rewritten
			sum.values[usage.RewrittenCost] += use.RewrittenNanoUSD
			byReason[use.Reason] = sum
		}
	}
	return rewriteFacts(byReason)
}

func contexts(main []*ledger.CountedRequest) (peak, mean uint64) {
	var sum uint64
	for _, r := range main {
		peak = max(peak, r.Context())
		sum += r.Context()
	}
	return peak, sum / uint64(max(1, len(main)))
}

// The contexts above which requests are large: the first if the peak exceeds it, or
// else the second.
const (
	veryLarge = 200_000
	large     = 100_000
)

// largeContext returns the fact of requests of the main conversation with a large
// context.
func largeContext(main []*ledger.CountedRequest, s *Session) Fact {
	limit := uint64(veryLarge)
	if s.PeakContext <= veryLarge {
		limit = large
	}
	f := Fact{Kind: LargeContext, Advice: "/clear between tasks, or /compact earlier: every request sends the whole context."}
	for _, r := range main {
		if r.Context() > limit {
			f.Requests++
			f.Tokens += r.Context()
			f.CostUSD += usd(r.Cost.Total())
		}
	}
	f.Text = fmt.Sprintf("%s of more than %s tokens cost %s%s (largest %s, mean %s).",
		format.Count(f.Requests, "request", "requests"), format.Short(float64(limit)), format.USD(f.CostUSD), shareOf(f.CostUSD, s.CostUSD, wholeSession),
		format.Short(float64(s.PeakContext)), format.Short(float64(s.MeanContext)))
	return f
}

// wholeSession is what a fact of a session is a share of.
const wholeSession = "the session"

// shareOf returns a cost as a share of the cost of something with a name, in words.
func shareOf(part, total float64, of string) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s of %s", format.PlainPercent(min(1, part/total)), of)
}

// subagents returns the fact of the sub-agents of a session, whose usage has its parts.
func subagents(d *ledger.SessionDetail, byPart *usage.Usage) Fact {
	f := Fact{Kind: Subagents}
	for i := range byPart.Rows {
		if r := &byPart.Rows[i]; r.Labels[0] != ledger.MainPart {
			f.CostUSD += r.Values.USD()
		}
	}
	main, agents := make(map[string]uint64), make(map[string]uint64) // costs by model
	for i := range d.Requests {
		r, costs := &d.Requests[i], main
		if r.Project != ledger.MainPart {
			costs = agents
			f.Requests++
			f.Tokens += r.Context() + r.Usage.Output
		}
		costs[usage.ModelName(r.Model)] += r.Cost.Total()
	}
	f.Text = fmt.Sprintf("%s cost %s%s.", format.Count(len(d.Agents), "sub-agent", "sub-agents"), format.USD(f.CostUSD), shareOf(f.CostUSD, byPart.Total.USD(), wholeSession))
	if model := mostExpensive(agents); model != "" && model == mostExpensive(main) {
		f.Advice = fmt.Sprintf("They mostly used %s, like the main conversation: give them a smaller model where it suffices.", model)
	}
	return f
}

// mostExpensive returns the model with the highest cost.
func mostExpensive(cost map[string]uint64) (model string) {
	for _, name := range slices.Sorted(maps.Keys(cost)) {
		if model == "" || cost[name] > cost[model] {
			model = name
		}
	}
	return model
}
