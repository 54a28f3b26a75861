package web

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A span is the usage in the days of a period, and in as many days before, up to the
// same time of day.
type span struct {
	period          *period
	current, before usage.Usage
	comparable      bool // the record covers the days before
	// began is when counting began. Of earlier days Claude Code may have deleted sessions.
	began time.Time
}

// answers are the answers of the record to all questions of the page.
type answers struct {
	spans    []span // of the first three periods
	selected span   // of the selected period
	// The selected period, by step.
	byModel, byProject, byHour usage.Usage
	byTool                     usage.Usage // not restricted to a model
}

// computeAnswers computes everything that the page shows of a selection.
func computeAnswers(h *counters.History, s selection, now time.Time) (*answers, error) {
	var (
		a       = answers{spans: make([]span, 3)}
		queries []usage.Query
		results []*usage.Usage
	)
	add := func(to *usage.Usage, q usage.Query) {
		q.Location = now.Location()
		queries, results = append(queries, q), append(results, to)
	}
	addSpan := func(to *span, p *period) {
		to.period = p
		add(&to.current, usage.Query{Since: p.begins(now), Where: s.where()})
		if p.days > 0 {
			since, until := p.before(now)
			add(&to.before, usage.Query{Since: since, Until: until, Where: s.where()})
		}
	}
	for i := range a.spans {
		addSpan(&a.spans[i], &periods[i])
	}
	addSpan(&a.selected, s.period)
	since := s.period.begins(now)
	step := s.period.step
	if step == "" {
		step = stepFor(now.Sub(usage.Recorded(h)))
	}
	add(&a.byModel, usage.Query{Since: since, Step: step, By: []string{modelParameter}, Where: s.where(), Only: perModel})
	add(&a.byProject, usage.Query{Since: since, Step: step, By: []string{projectParameter}, Where: s.where(), Only: costAndTokens})
	add(&a.byHour, usage.Query{Since: since, Step: usage.Hour, Where: s.where(), Only: costAndTokens})
	add(&a.byTool, usage.Query{Since: since, By: []string{"tool"}, Where: s.without(modelParameter).where(), Only: ofTools})
	all, err := usage.ComputeAll(h, queries...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		*results[i] = all[i]
	}
	began := time.UnixMilli(h.Birth).In(now.Location())
	for i := range a.spans {
		a.spans[i].setComparable(began)
	}
	a.selected.setComparable(began)
	return &a, nil
}

var (
	costAndTokens = []usage.Measure{
		usage.Cost, usage.InputTokens, usage.OutputTokens, usage.CacheReadTokens, usage.CacheWrite5mTokens, usage.CacheWrite1hTokens,
	}
	ofTools  = []usage.Measure{usage.ToolCalls, usage.ToolErrors, usage.ToolResults, usage.ToolTime}
	perModel = append([]usage.Measure{usage.CacheSavings, usage.UnpricedTokens}, costAndTokens...)
)

func (s *span) setComparable(began time.Time) {
	s.began = began
	recorded := s.before.Recorded
	s.comparable = s.period.days > 0 && !recorded.IsZero() && !recorded.After(s.before.Since) && !began.After(s.before.Since)
}

// stepFor returns the step of the bars for a record of some length.
func stepFor(length time.Duration) usage.Step {
	const day = 24 * time.Hour
	switch {
	case length <= 92*day:
		return usage.Day
	case length <= 2*366*day:
		return usage.Week
	default:
		return usage.Month
	}
}
