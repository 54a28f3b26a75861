package web

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// A sessionDetail shows the content of a session's transcripts.
type sessionDetail struct {
	Chart *chart // of cost by model, or else of tokens; nil if there are none
	// Why states what made the session expensive.
	Why         []explain.Fact
	Context     *contextChart // nil without a request
	Misses      []cacheMiss
	MoreMisses  int // number of misses that are not listed
	Permissions []permissionUse
	Tools       *toolSection
	Agents      []agentUse
	More        int // number of sub-agents that are not listed
	Failed      int // number of unreadable transcripts
	Priced      bool
}

// An agentUse is a sub-agent of a session.
type agentUse struct {
	Name, Type, Started, Duration string
	Requests, Tools               int // responses and tool calls
	Tokens                        uint64
	Cost                          string
}

// maxAgents is the number of sub-agents that are listed, by falling number of tokens.
const maxAgents = 100

// newSessionDetail returns the content of transcripts. models are the models of the
// whole record, by falling usage: each has the same color on all pages.
func newSessionDetail(d *ledger.SessionDetail, models []string, now time.Time) (*sessionDetail, error) {
	where := map[string][]string{projectParameter: d.Parts()}
	first, last := requestTimes(&d.History, where)
	step := sessionStep(last.Sub(first))
	measures := append([]usage.Measure{usage.Requests, usage.ToolCalls}, costAndTokens...)
	all, err := usage.ComputeAll(&d.History,
		usage.Query{Step: step, Location: now.Location(), By: []string{usage.ModelNameLabel}, Where: where, Only: measures},
		usage.Query{By: []string{"tool"}, Where: where, Only: ofTools},
		usage.Query{By: []string{projectParameter}, Where: where, Only: measures},
	)
	if err != nil {
		return nil, err
	}
	byModel, byTool, byPart := &all[0], &all[1], &all[2]
	detail := &sessionDetail{
		Tools: newTools(byTool, selection{}), Failed: d.Failed, Priced: isPriced(byModel),
		Chart:   newSessionChart(byModel, models, first.In(now.Location()), last.In(now.Location())),
		Context: newContextChart(d, now.Location()), Permissions: newPermissions(d),
	}
	detail.Misses, detail.MoreMisses = newMisses(d, now.Location())
	explained, err := explain.OfSession(d)
	if err != nil {
		return nil, err
	}
	detail.Why = explained.Facts
	detail.addAgents(d, byPart, now)
	return detail, nil
}

// addAgents adds the sub-agents, in the order of their beginning.
func (s *sessionDetail) addAgents(d *ledger.SessionDetail, byPart *usage.Usage, now time.Time) {
	names, totals := ranked(byPart, func(v *usage.Values) float64 { return float64(v.Tokens()) })
	listed := make(map[string]bool)
	for _, name := range names {
		listed[name] = len(listed) <= maxAgents // and the main conversation
	}
	for _, a := range d.Agents {
		v := totals[a.Name]
		if v == nil {
			v = new(usage.Values) // no request
		}
		if len(d.Agents) > maxAgents && !listed[a.Name] {
			s.More++
			continue
		}
		use := agentUse{
			Name: shown(a.Name), Type: a.Type, Started: "–", Duration: lasted(a.First, a.Last),
			Requests: int(v[usage.Requests]), Tools: int(v[usage.ToolCalls]),
			Tokens: v.Tokens(), Cost: costText(costOf(byPart, v)),
		}
		if a.First != 0 {
			use.Started = started(a.First, now)
		}
		s.Agents = append(s.Agents, use)
	}
}

// requestTimes returns the beginning of the first and the last interval with requests.
func requestTimes(h *counters.History, where map[string][]string) (first, last time.Time) {
	u, err := usage.Compute(h, usage.Query{Step: usage.FiveMinutes, Where: where, Only: []usage.Measure{usage.Requests}})
	if err != nil || len(u.Rows) == 0 {
		return first, last
	}
	return u.Rows[0].Start, u.Rows[len(u.Rows)-1].Start
}

// sessionStep returns the step of the bars for requests over some time.
func sessionStep(length time.Duration) usage.Step {
	switch {
	case length <= 6*time.Hour:
		return usage.FiveMinutes
	case length <= 5*24*time.Hour:
		return usage.Hour
	default:
		return usage.Day
	}
}
