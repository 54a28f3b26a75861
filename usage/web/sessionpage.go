package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// sessionURL returns the URL of the page of a session relative to the page at /, or ""
// for an id that is unfit for a path. Claude Code's ids are UUIDs. The labels of the
// source are its parameters.
func sessionURL(session ledger.SessionID) string {
	id, labels := session.ID, make(url.Values)
	unfit := func(r rune) bool { return r < '-' || r > 'z' || r == '/' || r == '\\' }
	if id == "" || strings.Trim(id, ".") == "" || strings.ContainsFunc(id, unfit) {
		return ""
	}
	for name, value := range session.Source.Labels() {
		labels.Set(name, value)
	}
	return strings.TrimSuffix("session/"+url.PathEscape(id)+"?"+labels.Encode(), "?")
}

// sessionOf returns the session of the URL of its page.
func sessionOf(id string, parameters url.Values) ledger.SessionID {
	labels := make(map[string]string)
	for name := range parameters {
		labels[name] = parameters.Get(name)
	}
	return ledger.SessionID{Source: counters.NewSourceLabels(labels), ID: id}
}

// readingWait is how long a request waits while other requests read transcripts.
const readingWait = 10 * time.Second

// A choice is one of several sessions whose ids begin in the same way.
type choice struct {
	ID, URL, Project, Source, Started string
}

// maxChoices is the maximum number of such sessions that are listed.
const maxChoices = 100

func newChoice(s *ledger.SessionTotals, now time.Time) choice {
	return choice{
		ID: shown(s.ID), URL: "../" + sessionURL(ledger.SessionID{Source: s.Source, ID: s.ID}),
		Project: s.Project, Source: sourceName(s.Source), Started: started(s.First, now),
	}
}

// A sessionPage is the page of one session.
type sessionPage struct {
	Style   template.CSS
	Busy    bool // the daemon is catching up or stopping
	Known   bool
	ID      string
	Live    bool
	Project string
	Source  string // the labels of its source
	Facts   []fact
	Choices []choice       // the sessions whose ids begin with the id of the URL, if there are several
	Detail  *sessionDetail // nil if it cannot be read
	Missing string         // why there is no detail
	Now     string
}

// serveSession answers the request for the page of a session.
func (p *Page) serveSession(w http.ResponseWriter, r *http.Request, id string) {
	page, err := p.session(r.Context(), sessionOf(id, r.URL.Query()))
	status := http.StatusOK
	switch {
	case r.Context().Err() != nil:
		return // the client has disconnected
	case errors.Is(err, context.DeadlineExceeded):
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Other sessions are being read, try again later.", http.StatusServiceUnavailable)
		return
	case err != nil:
		p.fail(w, err)
		return
	case page.Busy:
		status = http.StatusServiceUnavailable
	case page.Choices != nil:
		status = http.StatusMultipleChoices
	case !page.Known:
		status = http.StatusNotFound
	}
	p.write(w, "session.html", page, status)
}

// session returns the page of a session. It reads transcripts for one request at a
// time.
func (p *Page) session(ctx context.Context, id ledger.SessionID) (*sessionPage, error) {
	now := p.Now().In(p.Location())
	page := &sessionPage{Style: compactStyle, ID: id.ID, Now: footerTime(now)}
	list, ok := p.Sessions(ledger.SessionQuery{Limit: maxChoices, Since: math.MinInt64, ID: id.ID, Source: id.Source})
	if page.Busy = !ok; !ok || len(list.Sessions) == 0 {
		return page, nil
	}
	s := &list.Sessions[0]
	if len(list.Sessions) > 1 { // the URL has the beginning of several ids
		for i := range list.Sessions {
			page.Choices = append(page.Choices, newChoice(&list.Sessions[i], now))
		}
		return page, nil
	}
	id = ledger.SessionID{Source: s.Source, ID: s.ID}
	page.ID = s.ID
	page.Known, page.Live, page.Project, page.Source = true, s.Live, s.Project, sourceName(s.Source)
	page.Facts = sessionFacts(s, list.Priced, now)
	waiting, cancel := context.WithTimeout(ctx, readingWait)
	defer cancel()
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-waiting.Done():
		return nil, waiting.Err()
	}
	detail, present, err := p.ReadSessions(ctx)(id)
	switch {
	case err != nil:
		page.Missing = "Its transcripts are not shown: " + err.Error() + "."
	case !present:
		page.Missing = "Its transcripts do not exist any more: Claude Code deletes them after 30 days. The totals remain for a while."
	default:
		models, err := p.models(ctx)
		if err == nil {
			page.Detail, err = newSessionDetail(&detail, models, now)
		}
		return page, err
	}
	return page, nil
}

// models returns the models of the whole record, by falling usage.
func (p *Page) models(ctx context.Context) ([]string, error) {
	if err := p.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.working }()
	h, _ := p.History() // without a record, models have any color
	return usage.LabelValues(&h, usage.ModelNameLabel), nil
}

func sessionFacts(s *ledger.SessionTotals, priced bool, now time.Time) (all []fact) {
	add := func(name, value string) { all = append(all, fact{Name: name, Value: value}) }
	count := func(name string, n uint64) {
		if n > 0 {
			add(name, format.Short(float64(n)))
		}
	}
	if priced {
		add("Cost", costText(sessionCost(s)))
	}
	count("Tokens", s.Tokens())
	if s.First != 0 {
		add("Started", started(s.First, now))
		add("Duration", lasted(s.First, s.Last))
	}
	if s.Model != "" {
		add("Model", shown(usage.ModelName(s.Model)))
	}
	count("Context", s.Context)
	count("Requests", s.Requests)
	count("Prompts and commands", s.Prompts)
	count("Tool calls", s.ToolCalls)
	count("Tool errors", s.ToolErrors)
	count("Output", s.Output)
	return all
}

// started formats the beginning of a session.
func started(at int64, now time.Time) string {
	t := time.UnixMilli(at).In(now.Location())
	if t.Year() != now.Year() {
		return t.Format(shortDay + " 2006")
	}
	return t.Format(shortDay + " 15:04")
}

// lasted formats the time between two times in milliseconds, "–" if one is not known.
func lasted(first, last int64) string {
	if first == 0 || last < first {
		return "–"
	}
	return format.Minutes(time.Duration(cmp.Or(last-first, 1)) * time.Millisecond)
}

// Resume returns the command that continues a session.
func (p *sessionPage) Resume() string { return fmt.Sprintf("claude --resume %s", visible(p.ID)) }
