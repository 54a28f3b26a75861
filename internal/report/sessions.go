package report

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/api"
	"github.com/ccwatchd/ccwatchd/history"
)

// sessionLabels are the first columns of a report of sessions. No query has these.
var sessionLabels = []string{"session", "project", "last_line"}

// isOfSessions reports whether a usage is that of sessions.
func isOfSessions(u *history.Usage) bool { return slices.Equal(u.By, sessionLabels) }

// Sessions returns sessions as a usage with a row for each. Their whole use counts,
// also that before Since.
func Sessions(all api.Sessions, in *time.Location) history.Usage {
	u := history.Usage{
		Query: history.Query{Step: history.Total, Location: in, By: sessionLabels},
		Measures: []history.Measure{
			history.InputTokens, history.OutputTokens, history.CacheReadTokens, history.CacheWrite5mTokens, history.CacheWrite1hTokens,
			history.Requests, history.Prompts, history.ToolCalls, history.ToolErrors, history.UnpricedTokens,
		},
	}
	for i := range all.Sessions {
		s := &all.Sessions[i]
		row := history.Row{Labels: []string{s.ID, s.Project, ""}, Incomplete: s.Incomplete, Values: s.Values()}
		if s.Last != nil {
			row.Labels[2] = s.Last.In(in).Format("2006-01-02 15:04")
		}
		if s.CostUSD != nil && u.Measures[0] != history.Cost {
			u.Measures = append([]history.Measure{history.Cost}, u.Measures...)
		}
		u.Rows = append(u.Rows, row)
		u.Total.Add(&row.Values)
	}
	if n := u.Total[history.UnpricedTokens]; n > 0 {
		u.Unpriced = map[string]uint64{"": n} // of any model
	}
	return u
}
