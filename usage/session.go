package usage

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// SessionFilter returns a filter for ledger.SessionQuery.Where: it selects the sessions
// whose labels have one of some values. The labels are those of sources, ProjectLabel
// and ModelNameLabel, which is the model of the latest request: a query counts the use
// of all models of a session. It returns nil without labels.
func SessionFilter(where map[string][]string) func(*ledger.Session) bool {
	if len(where) == 0 {
		return nil
	}
	sources := make(map[counters.SourceLabels]map[string]string)
	return func(s *ledger.Session) bool {
		labels, known := sources[s.Source]
		if !known {
			labels = s.Source.Labels()
			sources[s.Source] = labels
		}
		for name, values := range where {
			value := labels[name]
			switch name {
			case ProjectLabel:
				value = s.Project
			case ModelNameLabel:
				value = ModelName(s.Model)
			}
			if !slices.Contains(values, value) {
				return false
			}
		}
		return true
	}
}

// SessionTime returns a time of a day in milliseconds since the epoch for a
// ledger.SessionQuery: the beginning of the interval of sessions with the time.
func SessionTime(at time.Time) int64 { return at.Truncate(ledger.SessionInterval).UnixMilli() }
