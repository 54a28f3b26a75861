package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A source answers requests with the parameters of the API. The default of the
// parameter tz is the time zone of this machine.
type source interface {
	usage(parameters url.Values) (usage.Usage, error)
	sessions(parameters url.Values) (api.Sessions, error)
	explain(parameters url.Values) (api.Explanation, error)
	limits() *api.Limits // nil if unknown
	// empty returns why there may be no usage at all, or "".
	empty() string
}

// today returns the usage of today, or nil if it is unknown.
func today(from source) *usage.Usage {
	u, err := from.usage(url.Values{"since": {"today"}})
	if err != nil {
		return nil
	}
	return &u
}

// A daemonSource is a running daemon.
type daemonSource struct {
	ctx    context.Context //nolint:containedctx // lives as long as a command
	client *statusclient.Client
	now    time.Time
}

func (s daemonSource) usage(parameters url.Values) (usage.Usage, error) {
	if zone := localZone(); !parameters.Has("tz") {
		since, _, _ := api.ParseDays(parameters.Get("since"), s.now.In(zone)) // the daemon responds with the error
		parameters = maps.Clone(parameters)
		setZone(parameters, zone, since, s.now)
	}
	return request(s.ctx, s.client, api.UsagePath, parameters, func(u *usage.Usage) bool { return u.Step != "" })
}

func (s daemonSource) sessions(parameters url.Values) (api.Sessions, error) {
	return request(s.ctx, s.client, api.SessionsPath, parameters, func(all *api.Sessions) bool { return !all.Time.IsZero() })
}

func (s daemonSource) explain(parameters url.Values) (api.Explanation, error) {
	return request(s.ctx, s.client, api.ExplainPath, parameters, func(e *api.Explanation) bool { return e.Sessions != nil })
}

func (s daemonSource) limits() *api.Limits {
	l, err := request(s.ctx, s.client, limits.Path, nil, func(l *api.Limits) bool { return !l.Time.IsZero() })
	if err != nil {
		return nil
	}
	return &l
}

func (s daemonSource) empty() string {
	state, err := s.client.Status(s.ctx)
	if err != nil || state.Sessions > 0 {
		return ""
	}
	return fmt.Sprintf("The daemon at %s has found no sessions in %s", s.client.URL(), listDirs(&state))
}

// A fileSource answers from session files that were read once.
type fileSource struct {
	ctx     context.Context //nolint:containedctx // lives as long as a command
	reading *daemon.Reading
	now     time.Time
}

func (s fileSource) usage(parameters url.Values) (u usage.Usage, err error) {
	h := s.reading.History()
	q, err := api.ParseUsage(parameters, s.now, localZone())
	if err == nil {
		u, err = usage.Compute(&h, q)
	}
	if err != nil {
		err = argumentError{err}
	}
	return u, err
}

func (s fileSource) sessions(parameters url.Values) (api.Sessions, error) {
	q, err := api.ParseSessions(parameters, s.now, localZone())
	if err != nil {
		return api.Sessions{}, argumentError{err}
	}
	return api.NewSessions(s.reading.Sessions(q)), nil
}

func (s fileSource) explain(parameters url.Values) (api.Explanation, error) {
	q, err := api.ParseExplain(parameters, s.now, localZone())
	if err != nil {
		return api.Explanation{}, argumentError{err}
	}
	h := s.reading.History()
	from := usage.Source{
		Sessions:     func(q ledger.SessionQuery) (ledger.SessionList, bool) { return s.reading.Sessions(q), true },
		ReadSessions: s.reading.ReadSessions,
	}
	e, err := api.Explain(s.ctx, &h, &from, q)
	if err != nil && s.ctx.Err() == nil {
		err = argumentError{err}
	}
	return e, err
}

func (s fileSource) limits() *api.Limits {
	h := s.reading.History()
	l := api.NewLimits(nil, &h, s.now)
	return &l
}

// empty returns "": read has logged where it looked.
func (s fileSource) empty() string { return "" }
