package web

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// A whySection shows what made the selected usage expensive.
type whySection struct {
	Reasons   []whyReason // of tokens written to the cache again
	Facts     []explain.Fact
	AllModels bool // of Reasons, although a model is selected
	Sessions  []session
}

// A whyReason is a reason why tokens were written to the cache again.
type whyReason struct {
	explain.Fact

	Title string
}

// maxCostly is the number of the most expensive sessions that are shown.
const maxCostly = 5

// newWhy returns what made the usage of a selection expensive, without its sessions.
func newWhy(byReason, all *usage.Usage, s selection) *whySection {
	w := &whySection{AllModels: s.selects(modelParameter)}
	for _, f := range explain.OfPeriod(byReason, &all.Total) {
		if f.Kind == explain.Rewritten {
			w.Reasons = append(w.Reasons, whyReason{f, explain.ReasonName(f.Name)})
		} else {
			w.Facts = append(w.Facts, f)
		}
	}
	return w
}

// newCostly returns the most expensive sessions of a selection that cost at least a
// cent, unless the list of its sessions begins with them. A list that is cut may lack
// some of them.
func newCostly(list *ledger.SessionList, s selection, from *usage.Source, now time.Time) (first []session) {
	if s.sessionSort() == byCost {
		return nil
	}
	if len(list.Sessions) == maxListed {
		q := s.sessionQuery()
		q.Limit, q.Sort = maxCostly, ledger.SortByCost
		costly, _ := from.Sessions(q)
		list = &costly
	}
	for _, one := range costliest(list.Sessions) {
		first = append(first, newSession(&one, 0, now))
	}
	return first
}

// costliest returns the most expensive sessions that cost at least a cent.
func costliest(sessions []ledger.SessionTotals) []ledger.SessionTotals {
	first, _ := ledger.SortByCost.First(sessions, maxCostly)
	return slices.DeleteFunc(first, func(s ledger.SessionTotals) bool { return s.NanoUSD < centNano })
}

// centNano is a cent in 10^-9 US dollars.
const centNano = 1e7

// Shown reports whether there is anything to show.
func (w *whySection) Shown() bool { return len(w.Reasons)+len(w.Facts)+len(w.Sessions) > 0 }
