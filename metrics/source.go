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
	names  []string // sorted
	values map[ledger.Source][]string
}

// newSourceLabels gathers the labels of every source in a snapshot.
func newSourceLabels(s *ledger.Snapshot) sourceLabels {
	sources := make(map[ledger.Source]map[string]string)
	see := func(source ledger.Source) {
		if _, ok := sources[source]; !ok {
			sources[source] = source.Labels()
		}
	}
	for _, f := range s.Families {
		for i := range f.Samples {
			see(f.Samples[i].Source)
		}
	}
	for i := range s.Live {
		see(s.Live[i].Source)
	}

	names := make(map[string]struct{})
	for _, labels := range sources {
		for name := range labels {
			names[name] = struct{}{}
		}
	}
	all := sourceLabels{slices.Sorted(maps.Keys(names)), make(map[ledger.Source][]string, len(sources))}
	for source, labels := range sources {
		values := make([]string, len(all.names))
		for i, name := range all.names {
			values[i] = labels[name]
		}
		all.values[source] = values
	}
	return all
}
