package web

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A fact is a number with its name.
type fact struct {
	Name, Value string
	Change      string // from the days before, as a percentage with a sign
}

// has reports whether a measure applies to a usage.
func has(u *usage.Usage, m usage.Measure) bool { return slices.Contains(u.Measures, m) }

// typedPrompts stands for prompts without commands: those are what people wrote.
const typedPrompts usage.Measure = -1

// countOf returns a number of counts.
func countOf(v *usage.Values, m usage.Measure) float64 {
	if m == typedPrompts {
		return v.In(usage.Prompts) - v.In(usage.Commands)
	}
	return v.In(m)
}

// counts are the measures of the selected period that are shown as they are.
var counts = []struct {
	name    string
	measure usage.Measure
}{
	{"Output", usage.OutputTokens},
	{"Requests", usage.Requests},
	{"Prompts", typedPrompts},
	{"Commands", usage.Commands},
	{"Sessions begun", usage.Sessions},
	{"Sub-agents", usage.Subagents},
	{"Tool calls", usage.ToolCalls},
	{"Lines added", usage.LinesAdded},
	{"Lines removed", usage.LinesRemoved},
	{"Compactions", usage.Compactions},
}

// facts returns the numbers of a span that are not zero.
func facts(s *span) (all []fact) {
	add := func(name string, now float64, c comparison) {
		if now == 0 {
			return
		}
		f := fact{Name: name, Value: c.Now}
		if s.comparable {
			f.Change = c.signed()
		}
		all = append(all, f)
	}
	count := func(name string, now, before float64) { add(name, now, compare(now, before, format.Short)) }
	now, before := &s.current.Total, &s.before.Total
	add("Cost", now.USD(), s.compareCost())
	if f, ok := s.projection(); ok {
		all = append(all, f)
	}
	count("Tokens", float64(now.Tokens()), float64(before.Tokens()))
	count("Fresh input", float64(now.FreshInput()), float64(before.FreshInput()))
	for _, c := range counts {
		if c.measure == typedPrompts || has(&s.current, c.measure) {
			count(c.name, countOf(now, c.measure), countOf(before, c.measure))
		}
	}
	return all
}

// projection extrapolates the cost or the tokens to the end of the present month. There
// is no projection on the first day.
func (s *span) projection() (f fact, ok bool) {
	p := &s.period
	begin := p.since
	if s.current.Recorded.After(begin) {
		begin = s.current.Recorded
	}
	elapsed := p.now.Sub(begin)
	if p.name != thisMonth || elapsed < 24*time.Hour {
		return f, false
	}
	end := usage.Month.Next(p.now)
	grown := 1 + float64(end.Sub(p.now))/float64(elapsed)
	f.Name = "At this rate by the end of " + p.now.Month().String()
	if c := totalCost(&s.current); isPriced(&s.current) && c.USD > 0 {
		c.USD *= grown
		f.Value = costText(c)
	} else {
		f.Value = format.Short(grown*float64(s.current.Total.Tokens())) + " tokens"
	}
	return f, s.current.Total.Tokens() > 0
}
