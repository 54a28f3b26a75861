package usage

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
)

// LabelValues returns the values that a label of the measured families, or of sources,
// has in series that grew, dated or not: those with most tokens first, and then in the
// order of their names. Where only some sources have a label, "" is one of its values.
func LabelValues(h *counters.History, label string) []string {
	tokens := make(map[string]uint64)
	q := &Query{By: []string{label}}
	for i := range h.Families {
		f := &h.Families[i]
		s, ok := newSelector(q, f)
		if !ok || len(measuresOf(f.Family.Name)) == 0 {
			continue
		}
		for j := range f.Series {
			value, n := s.value(&f.Series[j], label), f.Series[j].Value
			if n == 0 {
				continue
			}
			if f.Family.Name != definitions[InputTokens].family {
				n = 0
			}
			tokens[value] += n
		}
	}
	return slices.SortedFunc(maps.Keys(tokens), func(a, b string) int {
		return cmp.Or(cmp.Compare(tokens[b], tokens[a]), cmp.Compare(a, b))
	})
}

// SourceLabelNames returns the names of the labels of sources, sorted.
func SourceLabelNames(h *counters.History) []string {
	sources, names := make(map[counters.SourceLabels]bool), make(map[string]bool)
	for i := range h.Families {
		for j := range h.Families[i].Series {
			sources[h.Families[i].Series[j].Source] = true
		}
	}
	for source := range sources {
		for name := range source.Labels() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
