package report

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// sessionLabels are the first columns of a report of sessions. No query has these.
var sessionLabels = []string{"session", "project", "last_line"}

// isOfSessions reports whether a usage is grouped by session.
func isOfSessions(u *usage.Usage) bool { return slices.Equal(u.By, sessionLabels) }

// Sessions returns sessions as a usage with a row for each.
func Sessions(all api.Sessions, in *time.Location) usage.Usage {
	u := usage.Usage{
		Query: usage.Query{Since: all.Since, Until: all.Until, Step: usage.Total, Location: in, By: sessionLabels},
		Measures: []usage.Measure{
			usage.InputTokens, usage.OutputTokens, usage.CacheReadTokens, usage.CacheWrite5mTokens, usage.CacheWrite1hTokens,
			usage.Requests, usage.Prompts, usage.ToolCalls, usage.ToolErrors, usage.UnpricedTokens,
		},
	}
	for i := range all.Sessions {
		s := &all.Sessions[i]
		row := usage.Row{Labels: []string{s.ID, s.Project, ""}, Values: s.Values()}
		if !s.Last.IsZero() {
			row.Labels[2] = s.Last.In(in).Format("2006-01-02 15:04")
		}
		if s.CostUSD != nil && u.Measures[0] != usage.Cost {
			u.Measures = append([]usage.Measure{usage.Cost}, u.Measures...)
		}
		u.Rows = append(u.Rows, row)
		u.Total.Add(&row.Values)
	}
	if n := u.Total[usage.UnpricedTokens]; n > 0 {
		u.Unpriced = map[string]uint64{"": n} // of any model
	}
	return u
}
