package web

import (
	"net/url"
	"slices"
	"strings"
)

// The parts of the page that a link opens. The state is in the URL, so that a reload of
// the page keeps it.
const (
	limitsPart   = "limits"
	calendarPart = "calendar"
	heatPart     = "heat"
	toolsPart    = "tools"
)

// openable are all parts that can be opened: tables of charts have the parameter of the
// chart.
var openable = []string{limitsPart, modelParameter, projectParameter, calendarPart, heatPart, toolsPart}

// selectOpen applies the parameter open.
func (s *selection) selectOpen(q url.Values) *mistake {
	for part := range strings.FieldsSeq(q.Get(openParameter)) {
		if !slices.Contains(openable, part) {
			var links []link
			for _, part := range openable {
				links = append(links, link{Text: part, URL: s.toggle(part, part).URL})
			}
			return unknown(openParameter, part, "part that can be opened", links)
		}
		s.open = append(s.open, part)
	}
	slices.Sort(s.open)
	s.open = slices.Compact(s.open)
	return nil
}

// A toggle opens or closes a part of the page.
type toggle struct {
	Part, Text string
	URL        string // empty if the browser opens the part without a request
	Open       bool
}

// toggle returns the toggle of a part, with the text of its link.
func (s selection) toggle(part, text string) toggle {
	t := toggle{Part: part, Text: text, Open: slices.Contains(s.open, part)}
	open := slices.DeleteFunc(slices.Clone(s.open), func(other string) bool { return other == part })
	if !t.Open {
		open = append(open, part)
		slices.Sort(open)
	}
	s.open = open
	t.URL = s.URL() + "#open-" + part
	return t
}
