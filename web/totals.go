package web

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/history"
	"github.com/ccwatchd/ccwatchd/internal/format"
)

// A fact is a number with its name.
type fact struct {
	Name, Value string
	Change      string // from the days before, as a percentage with a sign
}

// has reports whether a measure applies to a usage.
func has(u *history.Usage, m history.Measure) bool { return slices.Contains(u.Measures, m) }

// counts are the measures of the selected period that are shown as they are.
var counts = []struct {
	name    string
	measure history.Measure
}{
	{"Fresh input", history.InputTokens},
	{"Output", history.OutputTokens},
	{"Requests", history.Requests},
	{"Prompts", history.Prompts},
	{"Sessions", history.Sessions},
	{"Sub-agents", history.Subagents},
	{"Tool calls", history.ToolCalls},
	{"Lines added", history.LinesAdded},
	{"Lines removed", history.LinesRemoved},
	{"Compactions", history.Compactions},
}

// facts returns the numbers of a span that are not zero.
func facts(s *span) (all []fact) {
	add := func(name string, now float64, c comparison) {
		if now == 0 {
			return
		}
		f := fact{Name: name, Value: c.Now}
		if s.comparable {
			f.Change = c.Difference
		}
		all = append(all, f)
	}
	count := func(name string, now, before float64) { add(name, now, compare(now, before, format.Short)) }
	now, before := &s.current.Total, &s.before.Total
	add("Cost", now.USD(), s.compareCost())
	count("Tokens", float64(now.Tokens()), float64(before.Tokens()))
	for _, c := range counts {
		if has(&s.current, c.measure) {
			count(c.name, now.In(c.measure), before.In(c.measure))
		}
	}
	return all
}
