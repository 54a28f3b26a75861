package web

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage"
)

// The names of the parameters of the URL.
const (
	rangeParameter   = "range"
	fromParameter    = "from"
	toParameter      = "to"
	projectParameter = "project"
	modelParameter   = "model"
	showParameter    = "show"
	sortParameter    = "sort"
	openParameter    = "open"
	reloadParameter  = "reload"
)

// ownParameters are the parameters that select by no label. A label of sources with the
// name of one of them has no menu.
var ownParameters = []string{rangeParameter, fromParameter, toParameter, showParameter, sortParameter, openParameter, reloadParameter}

// filterParameters returns the parameters that select by a label: project, model, and
// the labels of sources.
func filterParameters(h *counters.History) []string {
	names := []string{projectParameter, modelParameter}
	for _, name := range usage.SourceLabelNames(h) {
		if !slices.Contains(names, name) && !slices.Contains(ownParameters, name) {
			names = append(names, name)
		}
	}
	return names
}

// sourceParameters returns the parameters of labels of sources with several known
// values.
func sourceParameters(s selection, known map[string][]string) []string {
	return slices.DeleteFunc(slices.Clone(s.filters), func(name string) bool {
		return name == projectParameter || name == modelParameter || len(known[name]) < 2
	})
}

// labelOf returns the label that a parameter selects by.
func labelOf(parameter string) string {
	if parameter == modelParameter {
		return usage.ModelNameLabel
	}
	return parameter
}

// A selection is the period and the filters in a URL. All values of a label are
// selected if no value is.
type selection struct {
	period  period
	filters []string // see filterParameters
	// labels are the selected values by parameter.
	labels map[string]string
	tokens bool     // charts show tokens, not cost
	sort   string   // of sessions; empty for the usual order
	open   []string // the parts of the page that are opened, sorted
	still  bool     // the page does not reload itself
}

// selects reports whether one value of a label is selected.
func (s *selection) selects(parameter string) bool {
	_, ok := s.labels[parameter]
	return ok
}

// A mistake is a part of the URL that is invalid.
type mistake struct {
	Title string
	Value string // the invalid part
	Text  string // the error; the value comes before it
	Links []link // to the possible values
}

// A link leads to the page with another selection.
type link struct {
	Text    string
	URL     string
	Current bool // it is the selected one
}

// newSelection returns the selection of the query of a URL. filters are the parameters
// that select by a label, and known are their values.
func newSelection(query string, filters []string, known map[string][]string, now time.Time) (s selection, wrong *mistake) {
	s.filters, s.labels = filters, make(map[string]string)
	s.period, _ = periodNamed(defaultPeriod, now)
	q, wrong := s.parse(query)
	if wrong == nil {
		wrong = s.selectPeriod(q, now)
	}
	for _, label := range filters {
		if wrong != nil || !q.Has(label) {
			continue
		}
		value := q.Get(label)
		if label == modelParameter {
			value = usage.ModelName(value)
		}
		if !slices.Contains(known[label], value) {
			return s, unknown(label, q.Get(label), label+" in the record", s.labelLinks(label, known[label]))
		}
		s.labels[label] = value
	}
	if wrong == nil {
		wrong = s.selectOptions(q)
	}
	return s, wrong
}

// selectOptions applies the parameters show, sort, open and reload.
func (s *selection) selectOptions(q url.Values) *mistake {
	switch show := q.Get(showParameter); show {
	case "tokens":
		s.tokens = true
	case "", "cost":
	default:
		return unknown(showParameter, show, "value of show", s.showLinks())
	}
	if s.sort = q.Get(sortParameter); q.Has(sortParameter) && !slices.Contains(sessionSorts, s.sort) {
		return unknown(sortParameter, s.sort, "value of sort", s.sortLinks())
	}
	if wrong := s.selectOpen(q); wrong != nil {
		return wrong
	}
	switch reload := q.Get(reloadParameter); reload {
	case "off":
		s.still = true
	case "":
	default:
		return unknown(reloadParameter, reload, "value of reload", []link{s.reloadLink(), {Text: "reload", URL: s.URL()}})
	}
	return nil
}

// selectPeriod applies the parameters range, or from and to.
func (s *selection) selectPeriod(q url.Values, now time.Time) *mistake {
	if q.Has(fromParameter) || q.Has(toParameter) {
		return s.selectDays(q, now)
	}
	if !q.Has(rangeParameter) {
		return nil
	}
	p, ok := periodNamed(q.Get(rangeParameter), now)
	if !ok {
		return unknown(rangeParameter, q.Get(rangeParameter), "value of range", s.periodLinks())
	}
	s.period = p
	return nil
}

// selectDays applies the parameters from and to.
func (s *selection) selectDays(q url.Values, now time.Time) *mistake {
	var limits [2]time.Time
	for i, name := range []string{fromParameter, toParameter} {
		if !q.Has(name) {
			continue
		}
		day, err := time.Parse(time.DateOnly, q.Get(name))
		if err != nil {
			return &mistake{"Unknown day", q.Get(name), "is not a day such as " + now.Format(time.DateOnly) + ".", s.periodLinks()}
		}
		limits[i] = usage.Midnight(day.Year(), day.Month(), day.Day(), now.Location())
	}
	from, to := limits[0], limits[1]
	switch {
	case q.Has(rangeParameter):
		return &mistake{"Two periods", q.Get(rangeParameter), "is a range, which excludes from and to.", s.periodLinks()}
	case from.After(now):
		return &mistake{"Future day", q.Get(fromParameter), "is in the future.", s.periodLinks()}
	case !to.IsZero() && to.Before(from):
		return &mistake{"Invalid period", q.Get(toParameter), "is before " + q.Get(fromParameter) + ".", s.periodLinks()}
	}
	s.period = daysFrom(from, to, now)
	return nil
}

// periodNamed returns the period with a name of the URL.
func periodNamed(name string, now time.Time) (period, bool) {
	if other, ok := aliases[name]; ok {
		name = other
	}
	all := periods(now)
	i := slices.IndexFunc(all, func(p period) bool { return p.name == name })
	if i < 0 {
		return period{}, false
	}
	return all[i], true
}

// parse returns the parameters of a query. Each may be there once.
func (s *selection) parse(query string) (url.Values, *mistake) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, &mistake{"Invalid URL", query, "is not a valid query.", s.periodLinks()}
	}
	all := slices.Concat(ownParameters[:3], s.filters, ownParameters[3:])
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(all, name) {
			return nil, &mistake{"Unknown parameter", name, "is none of the parameters " + strings.Join(all, ", ") + ".", s.periodLinks()}
		}
		if len(q[name]) > 1 {
			return nil, &mistake{"Repeated parameter", name, "may be in the URL only once.", s.periodLinks()}
		}
	}
	return q, nil
}

func unknown(parameter, value, kind string, links []link) *mistake {
	return &mistake{"Unknown " + parameter, value, "is not a " + kind + ".", links}
}
