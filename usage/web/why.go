package web

import (
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

// newWhy returns what made the usage of a selection expensive. It has the most
// expensive sessions unless the list of sessions begins with them.
func newWhy(byReason, all *usage.Usage, s selection, from *usage.Source, now time.Time) *whySection {
	w := &whySection{AllModels: s.selects(modelParameter)}
	for _, f := range explain.OfPeriod(byReason, &all.Total) {
		if f.Kind == explain.Rewritten {
			w.Reasons = append(w.Reasons, whyReason{f, explain.ReasonName(f.Name)})
		} else {
			w.Facts = append(w.Facts, f)
		}
	}
	if s.sessionSort() != byCost {
		w.addSessions(s.sessionQuery(), from, now)
	}
	return w
}

// addSessions adds the most expensive sessions of a query that cost at least a cent.
func (w *whySection) addSessions(q ledger.SessionQuery, from *usage.Source, now time.Time) {
	q.Limit, q.Sort = maxCostly, ledger.SortByCost
	list, _ := from.Sessions(q)
	for i := range list.Sessions {
		if s := &list.Sessions[i]; s.NanoUSD >= centNano {
			w.Sessions = append(w.Sessions, newSession(s, 0, now))
		}
	}
}

// centNano is a cent in 10^-9 US dollars.
const centNano = 1e7

// Shown reports whether there is anything to show.
func (w *whySection) Shown() bool { return len(w.Reasons)+len(w.Facts)+len(w.Sessions) > 0 }
