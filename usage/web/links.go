package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// URL returns the relative URL that selects s.
func (s selection) URL() string {
	q := make(url.Values)
	if p := &s.period; p.name != "" {
		q.Set(rangeParameter, p.name)
	} else {
		if !p.since.IsZero() {
			q.Set(fromParameter, p.since.Format(time.DateOnly))
		}
		if !p.until.IsZero() {
			q.Set(toParameter, p.until.Add(-time.Second).Format(time.DateOnly))
		}
	}
	for label, value := range s.labels {
		q.Set(label, value)
	}
	if s.tokens {
		q.Set(showParameter, "tokens")
	}
	if s.sort != "" {
		q.Set(sortParameter, s.sort)
	}
	if len(s.open) > 0 {
		q.Set(openParameter, strings.Join(s.open, " "))
	}
	if s.still {
		q.Set(reloadParameter, "off")
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

// withPeriod returns the selection with another period.
func (s selection) withPeriod(p period) selection {
	s.period = p
	return s
}

// periodLinks returns links to all periods with a name, and to the selected one.
func (s selection) periodLinks() (all []link) {
	for _, p := range periods(s.period.now) {
		all = append(all, link{p.Label, s.withPeriod(p).URL(), p.name == s.period.name})
	}
	if s.period.name == "" {
		all = append(all, link{s.period.Label, s.URL(), true})
	}
	return all
}

// stepURL returns the URL that selects the step of a chart with a beginning, for
// example a day; "" if there are no shorter steps.
func (s selection) stepURL(start time.Time, step usage.Step) string {
	now := s.period.now
	switch {
	case step == usage.Hour:
		return ""
	case step == usage.Day && step.Start(now).Equal(start):
		return s.withPeriod(periods(now)[0]).URL()
	}
	return s.withPeriod(daysFrom(start, step.Next(start).Add(-time.Second), now)).URL()
}

// labelLinks returns links to all values of a label, beginning with the selection of
// all of them.
func (s selection) labelLinks(label string, values []string) []link {
	selected, ok := s.labels[label]
	all := []link{{"All " + plural(words(label)), s.without(label).URL(), !ok}}
	for _, value := range values {
		all = append(all, link{shown(value), s.with(label, value).URL(), ok && value == selected})
	}
	return all
}

// sortLink returns the link that sorts sessions. It is current if they are in this
// order.
func (s selection) sortLink(by, text, order string) link {
	s.sort = by
	return link{text, s.URL() + "#sessions", by == order}
}

// sortLinks returns links to all orders of sessions.
func (s selection) sortLinks() (all []link) {
	for _, by := range sessionSorts {
		all = append(all, s.sortLink(by, by, s.sort))
	}
	return all
}

func (s selection) showLinks() []link {
	cost, tokens := s, s
	cost.tokens, tokens.tokens = false, true
	return []link{{"Cost", cost.URL(), !s.tokens}, {"Tokens", tokens.URL(), s.tokens}}
}

// reloadLink returns the link that turns reloading off, or on again.
func (s selection) reloadLink() link {
	text := "turn off"
	if s.still {
		text = "turn on"
	}
	s.still = !s.still
	return link{Text: text, URL: s.URL()}
}

// where returns the filter of a query for the selection.
func (s selection) where() map[string][]string {
	where := make(map[string][]string)
	for parameter, value := range s.labels {
		where[labelOf(parameter)] = []string{value}
	}
	return where
}
