package web

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"path"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A listPage lists all sessions, projects, models or sources of a selection.
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
	Groups   []*groupTable   // none on another page
	Now      string
}

// listTitles are the titles of the pages of lists, by the last element of their path.
var listTitles = map[string]string{"sessions": "Sessions", projectParameter + "s": "Projects", modelParameter + "s": "Models", sourceList: "Sources"}

// sourceList is the name of the page with a list for each label of sources.
const sourceList = "sources"

// Lists returns the paths of the pages of lists, below /.
func Lists() []string { return slices.Sorted(maps.Keys(listTitles)) }

// serveList answers the request for the page of a list. Like the page at /, it has
// status 400 if the URL has a mistake.
func (p *Page) serveList(w http.ResponseWriter, r *http.Request) {
	page, err := p.list(r)
	code := http.StatusOK
	switch {
	case r.Context().Err() != nil:
		return // the client has disconnected
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

// list returns the page of a list. It computes one page at a time.
func (p *Page) list(r *http.Request) (*listPage, error) {
	if err := p.begin(r.Context()); err != nil {
		return nil, err
	}
	defer func() { <-p.working }()
	return p.listNamed(path.Base(r.URL.Path), r.URL.RawQuery)
}

// listNamed returns the page of a list, which has a name in listTitles.
func (p *Page) listNamed(name, query string) (*listPage, error) {
	now := p.Now().In(p.Location())
	page := &listPage{Style: compactStyle, Title: listTitles[name], Now: footerTime(now)}
	h, ok := p.History()
	if page.Busy = !ok; !ok {
		return page, nil
	}
	known, filters := filterValues(&h)
	s, wrong := newSelection(query, filters, known, now)
	page.Mistake, page.Home = wrong, "./"+s.URL()
	page.Periods, page.Filters = s.periodLinks(), newFilters(s, known)
	if _, page.Dates = s.period.heading(usage.Recorded(&h)); page.Dates == "" {
		page.Dates = s.period.Label
	}
	if wrong != nil {
		return page, nil
	}
	if name == "sessions" {
		list, ok := p.Sessions(s.sessionQuery())
		page.Busy = !ok
		page.Sessions = newSessions(&list, s, &p.Source, maxListed, now)
		return page, nil
	}
	page.Shows = s.showLinks()
	parameters := []string{name[:len(name)-1]}
	if name == sourceList {
		parameters = sourceParameters(s, known)
	}
	err := page.addGroups(&h, s, parameters)
	return page, err
}

// addGroups adds a table for each parameter.
func (p *listPage) addGroups(h *counters.History, s selection, parameters []string) error {
	var queries []usage.Query
	for _, parameter := range parameters {
		queries = append(queries, groupQuery(s, parameter))
	}
	all, err := usage.ComputeAll(h, queries...)
	for i := range all {
		p.Groups = append(p.Groups, newGroupTable(&all[i], s, parameters[i], maxListed))
	}
	return err
}

// A groupTable lists the values of a label in a selection: projects, models, or those
// of a label of sources.
type groupTable struct {
	Label  string
	Name   string // of a group
	Names  string // its plural
	Title  string
	Listed string // which groups of how many are listed
	All    link   // to the page of all; empty if the table is complete
	Priced bool
	Heads  []string // of Cells
	Rows   []groupRow
}

// A groupRow is a value of a label with its numbers.
type groupRow struct {
	Name, URL    string
	Cost, Tokens string
	Share        float64 // of the cost, or of the tokens if the selection shows tokens
	Bar          string  // length of its bar
	Cells        []string
}

// firstGroups is the number of values of a label of sources that are listed at first.
const firstGroups = 8

// addFirstGroups adds the first values of a label of sources, with a link to all. A
// single value has the numbers of the whole selection and no table.
func (u *content) addFirstGroups(by *usage.Usage, s selection, parameter string) {
	n := len(by.Rows)
	if n < 2 {
		return
	}
	t := newGroupTable(by, s, parameter, firstGroups)
	if n > firstGroups {
		t.All = link{Text: "All " + format.Count(n, t.Name, t.Names), URL: sourceList + s.URL() + "#by-" + parameter}
	}
	u.Groups = append(u.Groups, t)
}

// listedGroups states which groups of how many are listed, in an order of sortWords.
func listedGroups(n, most int, name, order string) string {
	all := format.Count(n, name, plural(name))
	if n > most {
		return fmt.Sprintf("the %s %s of %s", format.Number(most), sortWords[order], all)
	}
	return all
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

// groupQuery returns the query for the groups of a selection.
func groupQuery(s selection, parameter string) usage.Query {
	only := append([]usage.Measure{usage.UnpricedTokens}, costAndTokens...)
	for _, m := range groupMeasures {
		only = append(only, m.measure)
	}
	return usage.Query{Since: s.period.since, Until: s.period.until, By: []string{labelOf(parameter)}, Where: s.where(), Only: only}
}

// newGroupTable returns the first groups of the usage that groupQuery selects, the most
// expensive or largest first.
func newGroupTable(u *usage.Usage, s selection, parameter string, most int) *groupTable {
	priced, amount, order := isPriced(u), costs, byCost
	if s.tokens || !priced || isFree(u) {
		amount, order = tokens, byTokens
	}
	names, totals := ranked(u, amount.value)
	name := words(parameter)
	t := &groupTable{
		Label: parameter, Name: name, Names: plural(name), Title: amount.noun + " by " + name, Listed: listedGroups(len(names), most, name, order), Priced: priced,
	}
	for _, m := range groupMeasures {
		if has(u, m.measure) {
			t.Heads = append(t.Heads, m.head)
		}
	}
	for _, name := range names[:min(len(names), most)] {
		v := totals[name]
		row := groupRow{
			Name: shown(name), URL: "./" + s.with(parameter, name).URL(), Cost: costText(costOf(u, v)), Tokens: tokens.show(tokens.value(v)),
			Share: amount.value(v) / max(amount.value(&u.Total), 1e-12),
			Bar:   share(amount.value(v) / max(amount.value(totals[names[0]]), 1e-12)),
		}
		for _, m := range groupMeasures {
			if has(u, m.measure) {
				row.Cells = append(row.Cells, tokens.show(float64(v[m.measure])))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
