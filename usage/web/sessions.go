package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A session is a row of a list of sessions.
type session struct {
	ID             string // the beginning of it
	URL            string // of its page; empty if its id is not known
	Project, Model string
	Source         string // the labels of its source
	Live           bool
	Context        uint64 // tokens; 0 before the first request
	Bar            string // length of the bar of the used part of its context window
	Tokens, Output uint64
	Cost           string
	// Started is the time of the first line, Duration the time from the first to the last
	// line.
	Started, Duration string

	Requests, ToolCalls, ToolErrors uint64
}

// A sessionSection lists the sessions with usage in the selected period.
type sessionSection struct {
	Sessions []session
	Listed   string // which sessions of how many are listed, in which order
	Live     int    // number of live sessions
	Priced   bool
	Sources  bool // some session has labels
	// AllModels reports that a model is selected: the sessions are chosen by the model of
	// their latest request, and have the numbers of all their models.
	AllModels bool
	All       link // to the page of all; empty if the list is complete
	// Heads of the columns by which the list can be sorted.
	Cost, Started, Tokens link
}

const (
	// maxListed is the number of sessions of the selection that are listed on their page.
	maxListed = 1000
	// firstSessions is the number of sessions that are listed at first.
	firstSessions = 10
)

// The values of the parameter sort.
const (
	byCost   = "cost"
	byTime   = "time"
	byTokens = "tokens"
)

var (
	sessionSorts = []string{byCost, byTime, byTokens}
	sortOrders   = map[string]ledger.SessionSort{byCost: ledger.SortByCost, byTime: ledger.SortByTime, byTokens: ledger.SortByTokens}
	sortWords    = map[string]string{byCost: "most expensive", byTime: "latest", byTokens: "largest"}
)

// sessionSort returns the order of sessions: by default the order of the number in the
// charts, but today the latest first, since they are mostly the live ones.
func (s *selection) sessionSort() string {
	switch {
	case s.sort != "":
		return s.sort
	case s.period.isOneDay() && s.period.includesNow():
		return byTime
	case s.tokens:
		return byTokens
	}
	return byCost
}

// sessionQuery returns the query for the sessions of the selection.
func (s *selection) sessionQuery() ledger.SessionQuery {
	end := s.period.until
	if s.period.includesNow() {
		end = s.period.now.Add(ledger.SessionInterval)
	}
	return ledger.SessionQuery{
		Limit: maxListed, Since: usage.SessionTime(s.period.since), Until: usage.SessionTime(end),
		Sort: sortOrders[s.sessionSort()], Where: usage.SessionFilter(s.where()),
	}
}

// newSessions returns the first sessions of a list of the sessions of the selection.
func newSessions(list *ledger.SessionList, s selection, from *usage.Source, limit int, now time.Time) *sessionSection {
	section := &sessionSection{Priced: list.Priced, AllModels: s.selects(modelParameter)}
	order := s.sessionSort()
	section.Cost, section.Started, section.Tokens = s.sortLink(byCost, "Cost", order), s.sortLink(byTime, "Started", order), s.sortLink(byTokens, "Tokens", order)
	for i := range list.Sessions {
		session := &list.Sessions[i]
		if session.Live {
			section.Live++
		}
		if i < limit {
			section.Sessions = append(section.Sessions, newSession(session, from.ContextWindow(session.Source, session.ID), now))
			section.Sources = section.Sources || section.Sessions[i].Source != ""
		}
	}
	listed, n := len(section.Sessions), len(list.Sessions)+list.LeftOut.Sessions
	section.Listed = format.Count(n, "session", "sessions") + ", the " + sortWords[order] + " first"
	if n > listed {
		section.Listed = fmt.Sprintf("the %s %s of %s", format.Number(listed), sortWords[order], format.Number(n))
	}
	if len(list.Sessions) > limit {
		section.All = link{Text: fmt.Sprintf("All %s sessions", format.Number(n)), URL: "sessions" + s.URL()}
		if n > maxListed {
			section.All.Text = "More sessions"
		}
	}
	return section
}

func newSession(totals *ledger.SessionTotals, reported uint64, now time.Time) session {
	window := max(1, totals.ContextWindow(reported))
	s := session{
		ID: shortID(totals.ID), Project: totals.Project, Model: usage.ModelName(totals.Model), Source: sourceName(totals.Source),
		Live: totals.Live, Context: totals.Context,
		Bar:    share(float64(totals.Context) / float64(window)),
		Tokens: totals.Tokens(), Output: totals.Output,
		Cost: costText(sessionCost(totals)),
		URL:  sessionURL(ledger.SessionID{Source: totals.Source, ID: totals.ID}), Started: "–", Duration: lasted(totals.First, totals.Last),
		Requests: totals.Requests, ToolCalls: totals.ToolCalls, ToolErrors: totals.ToolErrors,
	}
	if totals.First != 0 {
		s.Started = started(totals.First, now)
	}
	return s
}

// shortID returns the beginning of the id of a session, which is mostly a UUID.
func shortID(id string) string {
	if id == "" {
		return "–"
	}
	if all := []rune(id); len(all) > ledger.MinPrefix {
		id = string(all[:ledger.MinPrefix])
	}
	return shown(id)
}
