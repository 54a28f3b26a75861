package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// SessionsPath is the path of sessions.
const SessionsPath = "/api/v1/sessions"

// Limits of the number of sessions in a response.
const (
	DefaultSessions = 50
	MaxSessions     = 1000
)

// Sessions are sessions at one moment.
type Sessions struct {
	// Time is the moment that everything else describes.
	Time time.Time `json:"time"`
	// Since and Until are the times between which the numbers count, if not all of them
	// do.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Live is the number of all sessions that are live, in the list or not.
	Live int `json:"live"`
	// Sessions are in the order of the request; without one, the most recently active
	// first.
	Sessions []Session `json:"sessions"`
	// LeftOut are the sessions beyond the limit; nil if there are none. In the order of
	// time without Until, it may be nil although there are some.
	LeftOut *LeftOut `json:"left_out,omitempty"`
}

// A LeftOut is a number of sessions with the sum of their usage.
type LeftOut struct {
	Sessions       int      `json:"sessions"`
	Tokens         uint64   `json:"tokens"`
	CostUSD        *float64 `json:"cost_usd,omitempty"` // see Session
	UnpricedTokens uint64   `json:"unpriced_tokens,omitempty"`
}

// A Session is a session with its usage in the time of the list, sub-agents included.
type Session struct {
	ID      string            `json:"id,omitempty"` // empty if it is not known
	Project string            `json:"project"`
	Labels  map[string]string `json:"labels,omitempty"` // of the source
	Live    bool              `json:"live"`
	// Model and ContextTokens describe the latest request of the main conversation.
	// ModelName is the name of Model, see usage.ModelName.
	Model         string `json:"model,omitempty"`
	ModelName     string `json:"model_name,omitempty"`
	ContextTokens uint64 `json:"context_tokens,omitempty"`
	// ContextWindow is the number of tokens that its context can have, see
	// ledger.Session.ContextWindow.
	ContextWindow uint64 `json:"context_window_tokens,omitempty"`
	// First and Last are the times of its first prompt or line of dialogue, and of its
	// last line, if they state one.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`

	Requests   uint64 `json:"requests"`
	Prompts    uint64 `json:"prompts"`
	ToolCalls  uint64 `json:"tool_calls"`
	ToolErrors uint64 `json:"tool_errors"`

	InputTokens        uint64 `json:"input_tokens"`
	OutputTokens       uint64 `json:"output_tokens"`
	CacheReadTokens    uint64 `json:"cache_read_tokens"`
	CacheWrite5mTokens uint64 `json:"cache_write_5m_tokens"`
	CacheWrite1hTokens uint64 `json:"cache_write_1h_tokens"`

	// CostUSD is nil if the cost is not counted. It does not contain UnpricedTokens.
	CostUSD        *float64 `json:"cost_usd,omitempty"`
	UnpricedTokens uint64   `json:"unpriced_tokens,omitempty"`
}

// Values returns the session's usage as measures.
func (s *Session) Values() usage.Values {
	v := usage.Values{
		usage.InputTokens: s.InputTokens, usage.OutputTokens: s.OutputTokens, usage.CacheReadTokens: s.CacheReadTokens,
		usage.CacheWrite5mTokens: s.CacheWrite5mTokens, usage.CacheWrite1hTokens: s.CacheWrite1hTokens,
		usage.Requests: s.Requests, usage.Prompts: s.Prompts, usage.ToolCalls: s.ToolCalls,
		usage.ToolErrors: s.ToolErrors, usage.UnpricedTokens: s.UnpricedTokens,
	}
	if s.CostUSD != nil {
		v[usage.Cost] = uint64(math.Round(max(0, *s.CostUSD) * 1e9))
	}
	return v
}

// NewSessions returns the sessions of a ledger as they are sent.
func NewSessions(list ledger.SessionList) Sessions {
	all := Sessions{Time: millis(list.Time), Since: stated(list.Since), Until: stated(list.Until), Live: list.Live, Sessions: make([]Session, len(list.Sessions))}
	for i := range list.Sessions {
		all.Sessions[i] = newSession(&list.Sessions[i], list.Priced)
	}
	if out := list.LeftOut; out.Sessions > 0 {
		all.LeftOut = &LeftOut{out.Sessions, out.Tokens, costOf(out.NanoUSD, list.Priced), out.Unpriced}
	}
	return all
}

func newSession(s *ledger.SessionTotals, priced bool) Session {
	return Session{
		ID: s.ID, Project: s.Project, Labels: sourceLabels(s.Source), Live: s.Live,
		Model: s.Model, ModelName: usage.ModelName(s.Model), ContextTokens: s.Context, ContextWindow: s.ContextWindow(0),
		First: stated(s.First), Last: stated(s.Last),
		Requests: s.Requests, Prompts: s.Prompts, ToolCalls: s.ToolCalls, ToolErrors: s.ToolErrors,
		InputTokens: s.Input, OutputTokens: s.Output, CacheReadTokens: s.CacheRead,
		CacheWrite5mTokens: s.CacheWrite5m, CacheWrite1hTokens: s.CacheWrite1h,
		CostUSD: costOf(s.NanoUSD, priced), UnpricedTokens: s.Unpriced,
	}
}

// costOf returns a cost in US dollars, nil if it is not counted.
func costOf(nanoUSD uint64, priced bool) *float64 {
	if !priced {
		return nil
	}
	usd := float64(nanoUSD) / 1e9
	return &usd
}

// stated converts milliseconds since the epoch to a time; 0 means no time.
func stated(at int64) (t time.Time) {
	if at != 0 {
		t = millis(at)
	}
	return t
}

// sessions sends the sessions that the parameters of the request ask for.
func (s *server) sessions(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, func(to io.Writer) bool {
		q, ok := parsed(w, r, func(p url.Values) (ledger.SessionQuery, error) {
			return ParseSessions(p, s.Now(), s.Location(), s.sourceLabels(p)...)
		})
		if !ok {
			return false
		}
		list, ok := s.Sessions(q)
		if !ok {
			unavailable(w)
			return false
		}
		all := NewSessions(list)
		for i := range all.Sessions {
			session := &list.Sessions[i]
			all.Sessions[i].ContextWindow = session.ContextWindow(s.ContextWindow(session.Source, session.ID))
		}
		_ = json.NewEncoder(to).Encode(all) // which never fails
		return true
	})
}

// sourceLabels returns the names of the labels of sources, if parameters may name one.
func (s *server) sourceLabels(parameters url.Values) []string {
	if checkParameters(parameters, sessionParameters...) == nil {
		return nil
	}
	h, _ := s.History() // copies the record, so few at a time do
	return usage.SourceLabelNames(&h)
}

var (
	errLimit = errors.New("expected a number from 1 to " + strconv.Itoa(MaxSessions))
	errSort  = errors.New("expected time, cost or tokens")
	errID    = errors.New("expected an id, or its first " + strconv.Itoa(ledger.MinPrefix) + " characters or more")

	sessionParameters = []string{"limit", "since", "until", "sort", "id", "project", "model", "tz"}

	// sorts are the values of the parameter sort.
	sorts = map[string]ledger.SessionSort{"": ledger.SortByTime, "time": ledger.SortByTime, "cost": ledger.SortByCost, "tokens": ledger.SortByTokens}
)

// ParseSessions returns the query that parameters describe: limit, since, until, sort,
// id, project, model, labels of sources, and tz. Without tz, days are in the zone
// local. Since and until are moved to the beginning of an interval of sessions, at most
// half an hour earlier.
func ParseSessions(parameters url.Values, now time.Time, local *time.Location, sourceLabels ...string) (q ledger.SessionQuery, err error) {
	if err := checkParameters(parameters, slices.Concat(sessionParameters, sourceLabels)...); err != nil {
		return q, err
	}
	zone, err := ParseZone(parameters.Get("tz"), local)
	if err != nil {
		return q, err
	}
	q = ledger.SessionQuery{Limit: DefaultSessions, Since: math.MinInt64, Project: parameters.Get("project"), ID: parameters.Get("id")}
	if text := parameters.Get("limit"); parameters.Has("limit") {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > MaxSessions {
			return q, fmt.Errorf("limit: %q: %w", text, errLimit)
		}
	}
	if parameters.Has("id") && q.ID == "" {
		return q, fmt.Errorf("id: %w", errID)
	}
	by, ok := sorts[parameters.Get("sort")]
	if q.Sort = by; !ok {
		return q, fmt.Errorf("sort: %q: %w", parameters.Get("sort"), errSort)
	}
	where := make(map[string][]string)
	for _, name := range sourceLabels {
		if parameters.Has(name) {
			where[name] = parameters[name]
		}
	}
	if parameters.Has("model") {
		where[usage.ModelNameLabel] = []string{usage.ModelName(parameters.Get("model"))}
	}
	q.Where = usage.SessionFilter(where)
	since, until, err := parseRange(parameters, now.In(zone))
	if parameters.Has("since") {
		q.Since = usage.SessionTime(since)
	}
	if !until.IsZero() {
		q.Until = max(usage.SessionTime(until), q.Since+ledger.SessionInterval.Milliseconds())
	}
	return q, err
}
