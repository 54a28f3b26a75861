package web

import (
	"html/template"
	"maps"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A listPage lists all sessions, projects or models of a selection.
type listPage struct {
	Style    template.CSS
	Title    string
	Busy     bool // the daemon is catching up or stopping
	Home     string
	Periods  []link
	Filters  []filter
	Shows    []link
	Dates    string // of the selected period
	Mistake  *mistake
	Sessions *sessionSection // nil on another page
	Groups   *groupTable     // nil on another page
	Now      string
}

// listTitles are the titles of the pages of lists, by the last element of their path.
var listTitles = map[string]string{"sessions": "Sessions", projectParameter + "s": "Projects", modelParameter + "s": "Models"}

// Lists returns the paths of the pages of lists, below /.
func Lists() []string { return slices.Sorted(maps.Keys(listTitles)) }

// serveList answers the request for the page of a list. Like the page at /, it has
// status 400 if the URL has a mistake.
func (p *Page) serveList(w http.ResponseWriter, r *http.Request) {
	if p.begin(r.Context()) != nil {
		return // the client has disconnected
	}
	page, err := p.list(path.Base(r.URL.Path), r.URL.RawQuery)
	<-p.working
	code := http.StatusOK
	switch {
	case err != nil:
		p.fail(w, err)
		return
	case page.Busy:
		code = http.StatusServiceUnavailable
	case page.Mistake != nil:
		code = http.StatusBadRequest
	}
	p.write(w, "list.html", page, code)
}

// list returns the page of a list, which has a name in listTitles.
func (p *Page) list(name, query string) (*listPage, error) {
	now := p.Now().In(p.Location())
	page := &listPage{Style: template.CSS(compactStyle), Title: listTitles[name], Now: now.Format(dayFormat+" 15:04 ") + zone(now)} //nolint:gosec // our own
	h, ok := p.History()
	if page.Busy = !ok; !ok {
		return page, nil
	}
	known, filters := filterValues(&h)
	s, wrong := newSelection(query, filters, known, now)
	page.Mistake, page.Home = wrong, "./"+s.URL()
	page.Periods, page.Filters = s.periodLinks(), newFilters(s, known)
	_, page.Dates = s.period.heading(time.Time{})
	if page.Dates == "" {
		page.Dates = s.period.Label
	}
	if wrong != nil {
		return page, nil
	}
	if name == "sessions" {
		list, ok := p.Options.Sessions(s.sessionQuery())
		page.Busy = !ok
		page.Sessions = newSessions(&list, s, &p.Source, maxListed, now)
		return page, nil
	}
	page.Shows = s.showLinks()
	var err error
	page.Groups, err = newGroupTable(&h, s, name[:len(name)-1], now)
	return page, err
}

// A groupTable lists all projects or models of a selection.
type groupTable struct {
	Name  string // of a group
	Heads []string
	Rows  []groupRow
}

// A groupRow is a project or model with its numbers.
type groupRow struct {
	Name, URL string
	Share     float64 // of the cost, or of the tokens if the selection shows tokens
	Cells     []string
}

// groupMeasures are the measures of groups after cost and tokens, of which each applies
// to some labels.
var groupMeasures = []struct {
	head    string
	measure usage.Measure
}{
	{"Requests", usage.Requests}, {"Sessions", usage.Sessions}, {"Tool calls", usage.ToolCalls},
	{"Lines added", usage.LinesAdded}, {"Lines removed", usage.LinesRemoved},
}

// newGroupTable returns the values of a label that the selection has, the most
// expensive or largest first.
func newGroupTable(h *counters.History, s selection, parameter string, now time.Time) (*groupTable, error) {
	only := append([]usage.Measure{usage.UnpricedTokens}, costAndTokens...)
	for _, m := range groupMeasures {
		only = append(only, m.measure)
	}
	u, err := usage.Compute(h, usage.Query{
		Since: s.period.since, Until: s.period.until, Location: now.Location(), By: []string{labelOf(parameter)}, Where: s.where(), Only: only,
	})
	if err != nil {
		return nil, err
	}
	priced, amount := isPriced(&u), costs
	if s.tokens || !priced || isFree(&u) {
		amount = tokens
	}
	names, totals := ranked(&u, amount.value)
	t := &groupTable{Name: parameter, Heads: []string{"Tokens"}}
	if priced {
		t.Heads = []string{"Cost", "Tokens"}
	}
	for _, m := range groupMeasures {
		if has(&u, m.measure) {
			t.Heads = append(t.Heads, m.head)
		}
	}
	for _, name := range names[:min(len(names), maxListed)] {
		v := totals[name]
		row := groupRow{Name: shown(name), URL: "./" + s.with(parameter, name).URL(), Share: amount.value(v) / max(amount.value(&u.Total), 1e-12)}
		if priced {
			row.Cells = append(row.Cells, costText(costOf(&u, v)))
		}
		row.Cells = append(row.Cells, tokens.show(tokens.value(v)))
		for _, m := range groupMeasures {
			if has(&u, m.measure) {
				row.Cells = append(row.Cells, tokens.show(float64(v[m.measure])))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}
