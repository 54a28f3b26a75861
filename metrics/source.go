package metrics

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// sourceLabels are the labels that the sources add. All series of a family
// must have the same label names, so each source gets the names of all, with
// empty values for what it does not have: to a server that is the same as not
// having the label.
type sourceLabels struct {
	names []string                            // of all sources, sorted
	of    map[ledger.Source]map[string]string // of each that was seen
}

// see looks at the sources of what is new in some families, and reports whether
// that adds a name.
func (s *sourceLabels) see(families []*family) (added bool) {
	if s.of == nil {
		s.of = make(map[ledger.Source]map[string]string)
	}
	for _, f := range families {
		for i := f.known; i < len(f.Samples); i++ {
			added = s.add(f.Samples[i].Source) || added
		}
	}
	return added
}

func (s *sourceLabels) add(source ledger.Source) (added bool) {
	if _, ok := s.of[source]; ok {
		return false
	}
	labels := source.Labels()
	s.of[source] = labels
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if at, found := slices.BinarySearch(s.names, name); !found {
			s.names = slices.Insert(s.names, at, name)
			added = true
		}
	}
	return added
}
