package web

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A content is the part of the page that depends on the selection.
type content struct {
	Periods, Shows []link
	Filters        []filter
	Cards          []card
	Title, Dates   string // of the selected period
	Baseline       string // what its changes compare with; empty if there is none
	NoBaseline     string // why there is none; empty if a card states it
	Facts          []fact
	Limits         *limitSection // nil if there is nothing to show
	Charts         []*chart
	Groups         []*groupTable // of each label of sources
	Calendar       *calendar
	Heat           *heatMap
	Cache          *cacheSection
	Why            *whySection
	Tools          *toolSection
	Live           int // number of live sessions, selected or not
	Sessions       *sessionSection
	Recorded       string // first day of the record; empty without a record
	Undated        []fact // usage without a date
	Zone           string // time zone
	Unpriced       []unpricedModel
	Folded         int // number of projects that are exposed as "other"
	Priced         bool
	Reloads        bool // once a minute
	ReloadLink     link // that turns this off or on; empty if the period has ended
	Off            bool // nothing is recorded at present
	None           bool // nothing was ever counted
	Now            time.Time
}

// A filter selects a value of a label.
type filter struct {
	Title    string
	Selected string // empty if all are
	Links    []link
}

// filterValues returns the values of the labels of the record by parameter, and the
// parameters.
func filterValues(h *counters.History) (known map[string][]string, parameters []string) {
	known, parameters = make(map[string][]string), filterParameters(h)
	for _, parameter := range parameters {
		known[parameter] = usage.LabelValues(h, labelOf(parameter))
	}
	return known, parameters
}

// newContent computes the content that the query of a URL selects. If it has a mistake,
// the part of the selection before it applies.
func newContent(h *counters.History, from *usage.Source, query string, now time.Time) (*content, *mistake, error) {
	known, filters := filterValues(h)
	s, wrong := newSelection(query, filters, known, now)
	asked := s.sessionQuery()
	asked.Complete = true
	sessions, _ := from.Sessions(asked)
	a, err := computeAnswers(h, s, known, sessions.Complete, now)
	if err != nil {
		return nil, nil, err
	}
	u := &content{
		Periods: s.periodLinks(), Now: now, Off: h.Off,
		Live: sessions.Live, Zone: zone(now), Folded: h.Folded[projectParameter],
	}
	all := &a.selected.current
	if u.Priced = isPriced(all); u.Priced && !isFree(all) {
		u.Shows = s.showLinks()
	}
	u.Filters, u.Limits = newFilters(s, known), newLimits(from.Limits(), h, s, now)
	u.addSpans(s, a)
	u.addCharts(s, a, known)
	u.Sessions = newSessions(&sessions, s, from, firstSessions, now)
	if u.Tools = newTools(&a.byTool, s); u.Tools != nil && u.Tools.More != nil {
		u.Tools.Toggle = s.toggle(toolsPart, u.Tools.MoreText())
	}
	u.Cache = newCache(&a.byModel)
	u.Why = newWhy(&a.byReason, all, s)
	u.Why.Sessions = newCostly(&sessions, s, from, now)
	if !all.Recorded.IsZero() {
		u.Recorded = all.Recorded.Format(dayFormat)
	}
	u.addUndated(all)
	u.addUnpriced(a)
	if s.period.includesNow() && wrong == nil {
		u.Reloads, u.ReloadLink = !s.still, s.reloadLink()
	}
	u.None = u.Recorded == "" && len(u.Undated) == 0
	return u, wrong, nil
}

// footerTime returns the time of a page, for its footer.
func footerTime(now time.Time) string { return now.Format(dayFormat+" 15:04 ") + zone(now) }

func zone(t time.Time) string {
	name, offset := t.Zone()
	if offset == 0 {
		return name
	}
	return name + t.Format(" (UTC-07:00)")
}

// newFilters returns the links to projects, models and values of labels of sources. Of
// a label of sources with only one value there is no filter.
func newFilters(s selection, known map[string][]string) (all []filter) {
	for _, label := range append([]string{projectParameter, modelParameter}, sourceParameters(s, known)...) {
		title := words(label)
		f := filter{Title: strings.ToUpper(title[:1]) + title[1:], Links: s.labelLinks(label, known[label])}
		if value, ok := s.labels[label]; ok {
			f.Selected = shown(value)
		}
		all = append(all, f)
	}
	return all
}

// words returns a label as words.
func words(label string) string { return strings.ReplaceAll(label, "_", " ") }

var (
	consonantY = regexp.MustCompile("([^aeiou])y$")
	sibilant   = regexp.MustCompile("(ss|x|ch|sh)$")
)

// plural returns the plural of a label in words, such as companies.
func plural(words string) string {
	switch {
	case consonantY.MatchString(words):
		return consonantY.ReplaceAllString(words, "${1}ies")
	case sibilant.MatchString(words):
		return words + "es"
	}
	return strings.TrimSuffix(words, "s") + "s"
}

// addSpans adds the cards, and the numbers of the selected period. The first period
// that cannot be compared for a reason states it.
func (u *content) addSpans(s selection, a *answers) {
	stated := make(map[string]bool)
	reason := func(part *span) string {
		if stated[part.noBaseline] {
			return ""
		}
		stated[part.noBaseline] = true
		return part.noBaseline
	}
	for i := range a.spans {
		c := newCard(&a.spans[i], u.Periods[i])
		c.NoBaseline = reason(&a.spans[i])
		u.Cards = append(u.Cards, c)
	}
	u.Facts = facts(&a.selected)
	u.NoBaseline = reason(&a.selected)
	if slices.ContainsFunc(u.Facts, func(f fact) bool { return f.Change != "" }) {
		u.Baseline = a.selected.baseline()
	}
	u.Title, u.Dates = s.period.heading(a.selected.current.Recorded)
}

// addCharts adds the charts of the selected period, if it has usage.
func (u *content) addCharts(s selection, a *answers, known map[string][]string) {
	all, amount := &a.selected.current, costs
	if s.tokens || !u.Priced || isFree(all) {
		amount = tokens
	}
	if amount.value(&all.Total) == 0 {
		return
	}
	u.Charts = []*chart{newChart(&a.byModel, s, modelParameter, known, amount)}
	if !s.selects(projectParameter) {
		u.Charts = append(u.Charts, newChart(&a.byProject, s, projectParameter, known, amount))
	}
	for _, parameter := range slices.Sorted(maps.Keys(a.bySource)) {
		u.addFirstGroups(a.bySource[parameter], s, parameter)
	}
	if !s.period.isOneDay() { // one day has a bar for each hour
		u.Calendar, u.Heat = newCalendar(&a.byHour, s, amount), newHeatMap(&a.byHour, amount)
		u.Heat.Toggle = s.toggle(heatPart, asTable(u.Heat.Title))
	}
}

var (
	costs  = amount{"Cost", (*usage.Values).USD, format.USD, false}
	tokens = amount{"Tokens", func(v *usage.Values) float64 { return float64(v.Tokens()) }, format.Short, true}
)

// addUndated adds the usage without a date.
func (u *content) addUndated(all *usage.Usage) {
	v := &all.Undated
	if v[usage.Cost] > 0 {
		u.Undated = append(u.Undated, fact{Name: "Cost", Value: costText(costOf(all, v))})
	}
	if v.Tokens() > 0 {
		u.Undated = append(u.Undated, fact{Name: "Tokens", Value: format.Short(float64(v.Tokens()))})
	}
	if v[usage.Prompts] > 0 {
		u.Undated = append(u.Undated, fact{Name: "Prompts and commands", Value: format.Number(v[usage.Prompts])})
	}
}

// addUnpriced adds the models of the selected period without a price.
func (u *content) addUnpriced(a *answers) {
	for _, name := range a.selected.current.UnpricedModels() {
		u.Unpriced = append(u.Unpriced, unpricedModel{name, a.selected.current.Unpriced[name]})
	}
}
