package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// A period is a range of days that can be selected.
type period struct {
	name  string // in the URL
	Label string
	days  int        // including today; 0 is everything
	step  usage.Step // of the bars; empty depends on the length of the record
}

// periods are all periods, in order. The default is 30 days.
var periods = []period{
	{"today", "Today", 1, usage.Hour},
	{"7d", "7 days", 7, usage.Day},
	{"30d", "30 days", 30, usage.Day},
	{"90d", "90 days", 90, usage.Day},
	{"1y", "1 year", 365, usage.Week},
	{"all", "All", 0, ""},
}

const defaultPeriod = "30d"

// begins returns midnight at the beginning of the period, or the zero time.
func (p *period) begins(now time.Time) time.Time {
	if p.days == 0 {
		return time.Time{}
	}
	return midnight(now, 1-p.days)
}

// before returns the period of as many days before, up to the same time of day.
func (p *period) before(now time.Time) (since, until time.Time) {
	since, until = midnight(now, 1-2*p.days), now.AddDate(0, 0, -p.days)
	if until.Before(since) { // a time that the change of the clocks left out
		until = since
	}
	return since, until
}

// midnight returns the beginning of the day that is some days after that of a time.
func midnight(now time.Time, days int) time.Time {
	year, month, day := now.Date()
	return usage.Midnight(year, month, day+days, now.Location())
}

// The names of the parameters of the URL.
const (
	rangeParameter   = "range"
	projectParameter = "project"
	modelParameter   = "model"
	showParameter    = "show"
)

// A selection is what the URL selects: its parameters range, project, model and show.
// Without a project or model, all of them are selected.
type selection struct {
	period *period
	// labels are the selected values by parameter: project and model, of which the names
	// are those of labels.
	labels map[string]string
	tokens bool // charts show tokens, not cost
}

// A mistake is a part of the URL that is invalid.
type mistake struct {
	Title string
	Value string // the invalid part
	Text  string // states what is wrong; the value comes before it
	Links []link // to the possible values
}

// A link leads to the page with another selection.
type link struct {
	Text    string
	URL     string
	Current bool // it is the selected one
}

// newSelection returns the selection of the query of a URL. known are the values of the
// labels project and model.
func newSelection(query string, known map[string][]string) (s selection, wrong *mistake) {
	s.labels = make(map[string]string)
	s.period = &periods[slices.IndexFunc(periods, func(p period) bool { return p.name == defaultPeriod })]
	q, wrong := s.parse(query)
	if wrong != nil {
		return s, wrong
	}
	name := defaultPeriod
	if q.Has(rangeParameter) {
		name = q.Get(rangeParameter)
	}
	i := slices.IndexFunc(periods, func(p period) bool { return p.name == name })
	if i < 0 {
		return s, unknown(rangeParameter, name, "value of range", s.periodLinks())
	}
	s.period = &periods[i]
	for _, label := range []string{projectParameter, modelParameter} {
		if !q.Has(label) {
			continue
		}
		value := q.Get(label)
		if !slices.Contains(known[label], value) {
			return s, unknown(label, value, label+" in the record", s.labelLinks(label, known[label]))
		}
		s.labels[label] = value
	}
	switch show := q.Get(showParameter); show {
	case "tokens":
		s.tokens = true
	case "", "cost":
	default:
		return s, unknown(showParameter, show, "value of show", s.showLinks())
	}
	return s, nil
}

// parse returns the parameters of a query. Each may be there once.
func (s selection) parse(query string) (url.Values, *mistake) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, &mistake{"Invalid URL", query, "is not a valid query.", s.periodLinks()}
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) > 1 {
			return nil, &mistake{"Repeated parameter", name, "may be in the URL only once.", s.periodLinks()}
		}
	}
	return q, nil
}

func unknown(parameter, value, kind string, links []link) *mistake {
	return &mistake{"Unknown " + parameter, value, "is not a " + kind + ".", links}
}

// URL returns the relative URL that selects s.
func (s selection) URL() string {
	q := make(url.Values)
	q.Set(rangeParameter, s.period.name)
	for label, value := range s.labels {
		q.Set(label, value)
	}
	if s.tokens {
		q.Set(showParameter, "tokens")
	}
	return "?" + q.Encode()
}

// with returns the selection with another value of a label.
func (s selection) with(label, value string) selection {
	labels := map[string]string{label: value}
	for other, value := range s.labels {
		if other != label {
			labels[other] = value
		}
	}
	s.labels = labels
	return s
}

// without returns the selection of all values of a label.
func (s selection) without(label string) selection {
	s = s.with(label, "")
	delete(s.labels, label)
	return s
}

func (s selection) periodLinks() (all []link) {
	for i := range periods {
		other := s
		other.period = &periods[i]
		all = append(all, link{periods[i].Label, other.URL(), other.period == s.period})
	}
	return all
}

// labelLinks returns links to all values of a label, beginning with the selection of
// all of them.
func (s selection) labelLinks(label string, values []string) []link {
	selected, one := s.labels[label]
	all := []link{{fmt.Sprintf("All %ss", label), s.without(label).URL(), !one}}
	for _, value := range values {
		all = append(all, link{shown(value), s.with(label, value).URL(), one && value == selected})
	}
	return all
}

func (s selection) showLinks() []link {
	cost, tokens := s, s
	cost.tokens, tokens.tokens = false, true
	return []link{{"Cost", cost.URL(), !s.tokens}, {"Tokens", tokens.URL(), s.tokens}}
}

// where returns the filter of a query for the selection.
func (s selection) where() map[string][]string {
	where := make(map[string][]string)
	for label, value := range s.labels {
		where[label] = []string{value}
	}
	return where
}
