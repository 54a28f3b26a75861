package usagetest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Source returns the data of the scene, in UTC, without a log.
func (s *Scene) Source() usage.Source {
	return usage.Source{
		History:      func() (counters.History, bool) { return s.History, true },
		Sessions:     func(q ledger.SessionQuery) (ledger.SessionList, bool) { return s.Sessions(q), true },
		ReadSessions: func(context.Context) usage.SessionReader { return s.ReadSession },
		Limits:       func() []limits.Window { return s.Limits },
		Location:     func() *time.Location { return time.UTC },
		Logger:       slog.New(slog.DiscardHandler),
		Now:          func() time.Time { return s.Now },
	}
}

// List returns the newest sessions of the scene, at most 100.
func (s *Scene) List() []ledger.SessionTotals {
	return s.Sessions(ledger.SessionQuery{Limit: 100, Since: math.MinInt64}).Sessions
}

// ReadSession returns what the transcripts of each session of the scene contain: a day
// with some sub-agents. Those of the oldest session do not exist.
func (s *Scene) ReadSession(id ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) {
	if all := s.List(); id.ID == all[len(all)-1].ID {
		return d, false, nil
	}
	p := Ordinary(s.Now)
	if s.Name == "hostile" {
		p = Hostile(s.Now)
	}
	p.Days = 1
	types := append([]string{"Explore", "general-purpose", "custom", "compact", ""}, p.Projects...)
	p.Projects = []string{ledger.MainPart}
	for i, name := range types {
		a := ledger.SessionAgent{
			Name: fmt.Sprintf("agent-%07x", 0xa17c03*(i+1)), Type: name,
			First: s.Now.Add(-time.Duration(len(types)-i) * 20 * time.Minute).UnixMilli(), Last: s.Now.UnixMilli(),
		}
		d.Agents, p.Projects = append(d.Agents, a), append(p.Projects, a.Name)
	}
	o := ledgertest.Options()
	o.OnRequest = func(r *ledger.CountedRequest) { d.Requests = append(d.Requests, *r) }
	p.Options = &o
	d.History = p.Ledger().History()
	slices.SortStableFunc(d.Requests, func(a, b ledger.CountedRequest) int { return cmp.Compare(a.When, b.When) })
	addContext(&d)
	return d, true, nil
}

// addContext adds a result of a tool before each request of the main conversation, and
// a compaction in the middle.
func addContext(d *ledger.SessionDetail) {
	for i := range d.Requests {
		r := &d.Requests[i]
		if r.Project == ledger.MainPart {
			d.Results = append(d.Results, ledger.SessionResult{When: r.When - 1, Tool: "Read", Bytes: 8000})
		}
	}
	if n := len(d.Results); n > 0 {
		d.Compactions = []ledger.SessionCompaction{{When: d.Results[n/2].When, Trigger: "auto", Before: 167_000, After: 30_000}}
	}
}
