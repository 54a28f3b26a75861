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
	names []string // of all sources, sorted
	of    map[ledger.SourceLabels]map[string]string
}

// see looks at the sources of samples, and reports whether that adds a name.
func (s *sourceLabels) see(samples []ledger.Sample) (added bool) {
	if s.of == nil {
		s.of = make(map[ledger.SourceLabels]map[string]string)
	}
	for i := range samples {
		if _, known := s.of[samples[i].Source]; !known {
			added = s.add(samples[i].Source) || added
		}
	}
	return added
}

func (s *sourceLabels) add(source ledger.SourceLabels) (added bool) {
	s.of[source] = source.Labels()
	for _, name := range slices.Sorted(maps.Keys(s.of[source])) {
		if at, found := slices.BinarySearch(s.names, name); !found {
			s.names = slices.Insert(s.names, at, name)
			added = true
		}
	}
	return added
}

// values returns the values that a source has for all names.
func (s *sourceLabels) values(source ledger.SourceLabels) []string {
	all := make([]string, len(s.names))
	for i, name := range s.names {
		all[i] = s.of[source][name]
	}
	return all
}
