package web

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// A span is the usage in a period, and in the period that it is compared with.
type span struct {
	period          period
	current, before usage.Usage
	comparable      bool   // everything in the period before was counted, and there is a record of it
	noBaseline      string // why it is not comparable; empty without a period before
}

// answers are the answers of the record to all questions of the page.
type answers struct {
	spans    []span // of the first three periods
	selected span   // of the selected period
	// The selected period, by step.
	byModel, byProject, byHour usage.Usage
	byTool, byReason           usage.Usage             // not restricted to a model
	bySource                   map[string]*usage.Usage // by parameter, without the selected ones
}

// computeAnswers computes everything that the page shows of a selection. complete is
// described at setComparable, known at newSelection.
func computeAnswers(h *counters.History, s selection, known map[string][]string, complete int64, now time.Time) (*answers, error) {
	var (
		a       = answers{spans: make([]span, 3), bySource: make(map[string]*usage.Usage)}
		queries []usage.Query
		results []*usage.Usage
	)
	add := func(to *usage.Usage, q usage.Query) {
		q.Location = now.Location()
		queries, results = append(queries, q), append(results, to)
	}
	addSpan := func(to *span, p period) {
		to.period = p
		add(&to.current, usage.Query{Since: p.since, Until: p.until, Where: s.where()})
		if b := p.before; b != nil {
			add(&to.before, usage.Query{Since: b.since, Until: b.until, Where: s.where()})
		}
	}
	all := periods(now)
	for i := range a.spans {
		addSpan(&a.spans[i], all[i])
	}
	addSpan(&a.selected, s.period)
	p := &s.period
	step := p.step(usage.Recorded(h))
	by := func(parameter string, only []usage.Measure) usage.Query {
		return usage.Query{Since: p.since, Until: p.until, Step: step, By: []string{labelOf(parameter)}, Where: s.where(), Only: only}
	}
	add(&a.byModel, by(modelParameter, perModel))
	if !s.selects(projectParameter) {
		add(&a.byProject, by(projectParameter, costAndTokens))
	}
	for _, parameter := range sourceParameters(s, known) {
		if !s.selects(parameter) {
			a.bySource[parameter] = new(usage.Usage)
			add(a.bySource[parameter], groupQuery(s, parameter))
		}
	}
	add(&a.byHour, usage.Query{Since: p.since, Until: p.until, Step: usage.Hour, Where: s.where(), Only: costAndTokens})
	add(&a.byTool, usage.Query{Since: p.since, Until: p.until, By: []string{"tool"}, Where: s.without(modelParameter).where(), Only: ofTools})
	add(&a.byReason, usage.Query{
		Since: p.since, Until: p.until, By: []string{explain.ReasonLabel}, Where: s.without(modelParameter).where(), Only: explain.OfReasons,
	})
	computed, err := usage.ComputeAll(h, queries...)
	if err != nil {
		return nil, err
	}
	for i := range computed {
		*results[i] = computed[i]
	}
	for i := range a.spans {
		a.spans[i].setComparable(h.Birth, complete)
	}
	a.selected.setComparable(h.Birth, complete)
	return &a, nil
}

var (
	costAndTokens = []usage.Measure{
		usage.Cost, usage.InputTokens, usage.OutputTokens, usage.CacheReadTokens, usage.CacheWrite5mTokens, usage.CacheWrite1hTokens,
	}
	ofTools  = []usage.Measure{usage.ToolCalls, usage.ToolErrors, usage.ToolResults, usage.ToolTime}
	perModel = append([]usage.Measure{usage.CacheSavings, usage.UnpricedTokens}, costAndTokens...)
)

// kept is for how many days Claude Code keeps sessions, unless configured otherwise.
const kept = 30

// setComparable sets whether the usage can be compared with the period before. birth is
// when the daemon began to count, and complete is a time since when no session was
// deleted for its age, or 0; both in milliseconds since the epoch.
func (s *span) setComparable(birth, complete int64) {
	recorded := s.current.Recorded
	if s.period.before == nil || recorded.IsZero() {
		return
	}
	known := time.UnixMilli(birth).AddDate(0, 0, -kept) // from then on, all was counted
	if at := time.UnixMilli(complete); complete != 0 && at.Before(known) {
		known = at
	}
	if s.current.Undated != (usage.Values{}) && recorded.After(known) {
		known = recorded
	}
	switch {
	case known.After(s.period.before.since): // sessions may have been deleted before counting began
		s.noBaseline = unknownBefore
	case !recorded.Before(s.period.before.until):
		s.noBaseline = nothingBefore
	default:
		s.comparable = true
	}
}
