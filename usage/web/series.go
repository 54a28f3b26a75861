package web

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/usage"
)

// maxSeries is the number of colors. Further series are combined.
const maxSeries = 8

// A series is the part of a chart with one color: a project, a model, or the rest.
type series struct {
	Name   string
	Class  string // of its color
	URL    string // selects it; of the rest, lists all; empty on the page of a session
	Values usage.Values
	Cost   string
	Share  float64 // of the total, from 0 to 1
}

// ranked returns the names in the rows of a usage and their totals, the largest first.
func ranked(u *usage.Usage, value func(*usage.Values) float64) (names []string, totals map[string]*usage.Values) {
	totals = make(map[string]*usage.Values)
	for i := range u.Rows {
		r := &u.Rows[i]
		name := r.Labels[0]
		if totals[name] == nil {
			totals[name] = new(usage.Values)
		}
		totals[name].Add(&r.Values)
	}
	return slices.SortedFunc(maps.Keys(totals), func(a, b string) int {
		return cmp.Or(cmp.Compare(value(totals[b]), value(totals[a])), cmp.Compare(a, b))
	}), totals
}

// colors assigns colors to names. The names that are used most in the whole record,
// listed first in known, always have the same color. The remaining colors go to other
// names.
func colors(names, known []string) map[string]int {
	assigned := make(map[string]int)
	var free []int
	for i := range maxSeries {
		if i < len(known) && slices.Contains(names, known[i]) {
			assigned[known[i]] = i
		} else {
			free = append(free, i)
		}
	}
	for _, name := range names {
		if _, has := assigned[name]; !has {
			assigned[name], free = free[0], free[1:]
		}
	}
	return assigned
}
