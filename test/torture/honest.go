package torture

import (
	"maps"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// userLabel is the label of a source that names its user.
const userLabel = "user"

// honest returns the series of the honest user without the label of the source, as a
// daemon has them that reads the files of this user alone. Every family of package
// ledger that begins with claude_ has the label: its series without a user are 0. The
// daemon's own families are about both users, so their totals are not compared.
func honest(samples exposition.Samples) (all exposition.Samples) {
	for _, s := range samples {
		if s.Labels[userLabel] == abuserName {
			continue
		}
		s.Labels = maps.Clone(s.Labels)
		delete(s.Labels, userLabel)
		all = append(all, s)
	}
	return all
}

// honestHistory is honest for the history.
func honestHistory(series []api.HistorySeries) (all []api.HistorySeries) {
	for _, s := range series {
		if s.Labels[userLabel] == abuserName {
			continue
		}
		s.Labels = maps.Clone(s.Labels)
		delete(s.Labels, userLabel)
		all = append(all, s)
	}
	return all
}
