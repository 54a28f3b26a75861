package web

import (
	"time"

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
	Bar            string // length of its bar
	Tokens         uint64
	Cost           string
	// Started and Duration are those from its first to its last line.
	Started, Duration string
}

// A sessionSection lists the live sessions, and those before.
type sessionSection struct {
	Live     int // number of live sessions of the selection
	Sessions []session
	Scale    uint64 // tokens at which the bars of contexts end
	Priced   bool
}

const (
	// maxListed is the number of sessions from which those of the selection are taken.
	maxListed = 1000
	// minSessions is the number of sessions that are shown, and maxSessions if so many
	// are live.
	minSessions, maxSessions = 10, 20
	// The sizes at which the bars of contexts end: those of the usual context windows.
	window, largeWindow = 200_000, 1_000_000
)

// newSessions returns the newest sessions of the selection.
func newSessions(list *ledger.SessionList, s selection, now time.Time) *sessionSection {
	section := &sessionSection{Scale: window, Priced: list.Priced}
	var shown []*ledger.SessionTotals
	for i := range list.Sessions {
		one := &list.Sessions[i]
		if !s.selectsSession(&one.Session) {
			continue
		}
		if one.Live {
			section.Live++
		}
		if len(shown) < minSessions || one.Live && len(shown) < maxSessions {
			shown = append(shown, one)
			if one.Context > window {
				section.Scale = largeWindow
			}
		}
	}
	for _, one := range shown {
		section.Sessions = append(section.Sessions, newSession(one, section.Scale, now))
	}
	return section
}

func newSession(one *ledger.SessionTotals, scale uint64, now time.Time) session {
	s := session{
		ID: shortID(one.ID), Project: one.Project, Model: usage.ModelName(one.Model), Live: one.Live, Context: one.Context,
		Bar:    percent(100 * min(1, float64(one.Context)/float64(scale))),
		Tokens: one.Tokens(),
		Cost:   costText(sessionCost(one)),
		URL:    sessionURL(one.ID), Started: "–", Duration: lasted(one.First, one.Last),
	}
	if one.First != 0 {
		s.Started = started(one.First, now)
	}
	return s
}

// selectsSession reports whether the project, model and user of a session are selected.
func (s selection) selectsSession(one *ledger.Session) bool {
	is := map[string]string{
		projectParameter: one.Project, modelParameter: usage.ModelName(one.Model), userParameter: one.Source.Labels()[userParameter],
	}
	for parameter, value := range s.labels {
		if value != is[parameter] {
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
