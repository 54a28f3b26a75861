package web

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A session is a row of the list of sessions.
type session struct {
	ID             string // the beginning of it
	URL            string // of its page; empty if its id is not known
	Project, Model string
	Live           bool
	Context        uint64 // tokens; 0 before the first request
	Bar            string // length of the bar of the used part of its context window
	Tokens         uint64
	Cost           string
	// Started is the time of the first line, Duration the time from the first to the last
	// line.
	Started, Duration string
}

// A sessionSection lists the live sessions, and earlier sessions.
type sessionSection struct {
	Live     int // number of live sessions of the selection
	Sessions []session
	Priced   bool
}

const (
	// maxListed is the number of sessions that are searched for sessions of the selection.
	maxListed = 1000
	// minSessions is the number of sessions that are shown, and maxSessions if so many
	// are live.
	minSessions, maxSessions = 10, 20
)

// newSessions returns the newest sessions of the selection. windowOf returns the size
// of the context window that a session has reported, or 0.
func newSessions(list *ledger.SessionList, s selection, windowOf func(source counters.SourceLabels, id string) uint64, now time.Time) *sessionSection {
	section := &sessionSection{Priced: list.Priced}
	for i := range list.Sessions {
		session := &list.Sessions[i]
		if !s.selectsSession(&session.Session) {
			continue
		}
		if session.Live {
			section.Live++
		}
		if n := len(section.Sessions); n < minSessions || session.Live && n < maxSessions {
			section.Sessions = append(section.Sessions, newSession(session, windowOf(session.Source, session.ID), now))
		}
	}
	return section
}

func newSession(totals *ledger.SessionTotals, reported uint64, now time.Time) session {
	window := max(1, totals.ContextWindow(reported))
	s := session{
		ID: shortID(totals.ID), Project: totals.Project, Model: usage.ModelName(totals.Model), Live: totals.Live, Context: totals.Context,
		Bar:    share(float64(totals.Context) / float64(window)),
		Tokens: totals.Tokens(),
		Cost:   costText(sessionCost(totals)),
		URL:    sessionURL(ledger.SessionID{Source: totals.Source, ID: totals.ID}), Started: "–", Duration: lasted(totals.First, totals.Last),
	}
	if totals.First != 0 {
		s.Started = started(totals.First, now)
	}
	return s
}

// selectsSession reports whether the project, model and user of a session are selected.
func (s selection) selectsSession(session *ledger.Session) bool {
	values := map[string]string{
		projectParameter: session.Project, modelParameter: usage.ModelName(session.Model), userParameter: session.Source.Labels()[userParameter],
	}
	for parameter, value := range s.labels {
		if value != values[parameter] {
			return false
		}
	}
	return true
}

// shortID returns the beginning of the id of a session, which is mostly a UUID.
func shortID(id string) string {
	const length = 8
	if id == "" {
		return "–"
	}
	if all := []rune(id); len(all) > length {
		id = string(all[:length])
	}
	return shown(id)
}
