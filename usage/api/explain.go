package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// ExplainPath is the path of explanations.
const ExplainPath = "/api/v1/explain"

// An Explanation states what made some usage expensive.
type Explanation struct {
	// Since and Until are the times between which usage counts, if not all of it does.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// CostUSD is the cost of the usage, and Facts what made it expensive. Both are missing
	// if sessions are selected by an id.
	CostUSD *float64       `json:"cost_usd,omitempty"`
	Facts   []explain.Fact `json:"facts,omitempty"`
	// Unpriced is the number of tokens without a price, which CostUSD does not contain.
	// They are of all projects: by project they are not counted.
	Unpriced uint64 `json:"unpriced_tokens,omitempty"`
	// Sessions are the most expensive sessions, or the sessions with the id.
	Sessions []ExplainedSession `json:"sessions"`
}

// An ExplainedSession is a session with what made it expensive. Its usage is of the
// time of the explanation, its facts are of its whole time.
type ExplainedSession struct {
	Session

	Explained *explain.Session `json:"explained,omitempty"` // nil if its transcripts cannot be read
	Missing   string           `json:"missing,omitempty"`   // why there is no explanation
}

// An ExplainQuery selects usage to explain.
type ExplainQuery struct {
	Usage    usage.Query // of all usage
	Sessions ledger.SessionQuery
}

// explainedSessions is the number of the most expensive sessions in an explanation.
const explainedSessions = 5

// ParseExplain returns the query that parameters describe: since, until, project,
// model, id and tz. Without tz, days are in the zone local.
func ParseExplain(parameters url.Values, now time.Time, local *time.Location) (q ExplainQuery, err error) {
	if err := checkParameters(parameters, "since", "until", "project", "model", "id", "tz"); err != nil {
		return q, err
	}
	u := &q.Usage
	if u.Location, err = ParseZone(parameters.Get("tz"), local); err != nil {
		return q, err
	}
	if u.Since, u.Until, err = parseRange(parameters, now.In(u.Location)); err != nil {
		return q, err
	}
	u.Where = make(map[string][]string)
	if parameters.Has(usage.ProjectLabel) {
		u.Where[usage.ProjectLabel] = parameters[usage.ProjectLabel]
	}
	if parameters.Has(usage.ModelLabel) {
		u.Where[usage.ModelNameLabel] = []string{usage.ModelName(parameters.Get(usage.ModelLabel))}
	}
	q.Sessions = ledger.SessionQuery{
		Limit: explainedSessions, Since: math.MinInt64, Sort: ledger.SortByCost, ID: parameters.Get("id"), Where: usage.SessionFilter(u.Where),
	}
	if !u.Since.IsZero() {
		q.Sessions.Since = usage.SessionTime(u.Since)
	}
	if !u.Until.IsZero() {
		q.Sessions.Until = max(usage.SessionTime(u.Until), q.Sessions.Since+1)
	}
	return q, nil
}

// Explain answers a query from a record, and from the sessions and transcripts of a
// source.
func Explain(ctx context.Context, h *counters.History, from *usage.Source, q ExplainQuery) (e Explanation, err error) {
	e = Explanation{Since: q.Usage.Since, Until: q.Usage.Until, Sessions: []ExplainedSession{}}
	if q.Sessions.ID == "" {
		if err := e.addPeriod(h, q.Usage); err != nil {
			return e, err
		}
	}
	list, ok := from.Sessions(q.Sessions)
	if !ok {
		return e, errStopping
	}
	read := from.ReadSessions(ctx)
	for i := range list.Sessions {
		s := &list.Sessions[i]
		explained, err := explainSession(read, ledger.SessionID{Source: s.Source, ID: s.ID})
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		explained.Session = newSession(s, list.Priced)
		if err != nil {
			explained.Missing = err.Error()
		}
		e.Sessions = append(e.Sessions, explained)
	}
	return e, nil
}

// addPeriod adds the cost of all usage of a query, and what made it expensive.
func (e *Explanation) addPeriod(h *counters.History, q usage.Query) error {
	byReason, total := q, q
	byReason.By, byReason.Only = []string{explain.ReasonLabel}, explain.OfReasons
	byReason.Where = maps.Clone(q.Where)
	delete(byReason.Where, usage.ModelNameLabel) // which the reasons do not have
	total.Only = explain.OfTotal
	all, err := usage.ComputeAll(h, byReason, total)
	if err != nil {
		return err
	}
	cost := all[1].Total.USD()
	e.Unpriced = all[1].AllUnpriced()
	e.CostUSD, e.Facts = &cost, explain.OfPeriod(&all[0], &all[1].Total)
	return nil
}

// noTranscripts is why a session without transcripts is not explained.
const noTranscripts = "its transcripts do not exist any more"

func explainSession(read usage.SessionReader, id ledger.SessionID) (e ExplainedSession, err error) {
	d, present, err := read(id)
	switch {
	case err != nil:
		return e, err
	case !present:
		e.Missing = noTranscripts
		return e, nil
	}
	explained, err := explain.OfSession(&d)
	e.Explained = &explained
	return e, err
}

// explain sends the explanation that the parameters of the request ask for. It reads
// transcripts for one request at a time.
func (s *server) explain(w http.ResponseWriter, r *http.Request) {
	q, ok := parsed(w, r, func(p url.Values) (ExplainQuery, error) { return ParseExplain(p, s.Now(), s.Location()) })
	if !ok || !s.beginReading(w, r) {
		return
	}
	defer s.reading.end()
	s.answer(w, r, func(to io.Writer) bool {
		h, ok := s.recorded(w)
		if !ok {
			return false
		}
		e, err := Explain(r.Context(), &h, &s.Source, q)
		switch {
		case r.Context().Err() != nil:
			return false
		case errors.Is(err, errStopping):
			unavailable(w)
			return false
		case err != nil:
			fail(w, http.StatusBadRequest, err.Error())
			return false
		}
		_ = json.NewEncoder(to).Encode(e) // which never fails
		return true
	})
}
