package metrics

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
)

// sourceLabels are the labels that the sources add. All series of a family must have
// the same label names, so a source has an empty value for each label that only other
// sources have: servers treat an empty label like a missing label.
type sourceLabels struct {
	names    []string // of all sources, sorted
	bySource map[counters.SourceLabels]map[string]string
}

// add adds the sources of samples. It reports whether they add a label name.
func (s *sourceLabels) add(samples []counters.Sample) (added bool) {
	if s.bySource == nil {
		s.bySource = make(map[counters.SourceLabels]map[string]string)
	}
	for i := range samples {
		source := samples[i].Source
		if _, known := s.bySource[source]; known {
			continue
		}
		s.bySource[source] = source.Labels()
		for name := range s.bySource[source] {
			if i, found := slices.BinarySearch(s.names, name); !found {
				s.names = slices.Insert(s.names, i, name)
				added = true
			}
		}
	}
	return added
}

// values returns the values that a source has for all names.
func (s *sourceLabels) values(source counters.SourceLabels) []string {
	all := make([]string, len(s.names))
	for i, name := range s.names {
		all[i] = s.bySource[source][name]
	}
	return all
}
