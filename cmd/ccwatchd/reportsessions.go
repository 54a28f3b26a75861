package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/report"
)

// bySession is the value of --by for one row per session. It is not a label of metrics.
const bySession = "session"

var errSession = errors.New("--by session: use it without other names, with --since, --until, --project (once) and --tz only")

func (r *reportCommand) runSessions(ctx context.Context, c *command, stdout io.Writer, log *slog.Logger, now time.Time) (int, error) {
	if !slices.Equal(api.SplitNames(r.by), []string{bySession}) || len(r.project) > 1 || len(r.model)+len(r.where)+len(r.weekStart)+len(r.monthStart) > 0 {
		return 2, errSession
	}
	zone, err := api.ParseZone(r.zone, localZone())
	if err != nil {
		return 2, fmt.Errorf("--%w", err)
	}
	now = now.In(zone)
	_, until, err := api.ParseDays(r.until, now)
	if err != nil {
		return 2, fmt.Errorf("--until: %w", err)
	}
	begin := defaultSince(usage.Total, last(usage.Query{Until: until}, now).In(zone))
	parameters := url.Values{"since": {cmp.Or(r.since, begin.Format(time.RFC3339))}, "limit": {strconv.Itoa(api.MaxSessions)}, "sort": {"cost"}}
	if r.until != "" {
		parameters.Set("until", r.until)
	}
	if len(r.project) == 1 {
		parameters.Set("project", r.project[0])
	}
	parameters, err = parseSessions(parameters, now, zone)
	if err != nil {
		return 2, err
	}
	all, incomplete, err := answer(ctx, c, &r.daemon, log, now, func(from source) (api.Sessions, error) { return r.sessions(from, parameters, log) })
	if err != nil {
		return exitCode(err), err
	}
	u := report.Sessions(all, zone)
	total := withLeftOut(u, all.LeftOut)
	return r.budget.print(&total, log, func() error {
		logLeftOut(all.LeftOut, log)
		if r.asJSON {
			return printJSON(stdout, all)
		}
		return r.print(c, stdout, &u)
	}, incomplete)
}

// withLeftOut returns a usage with the cost of the sessions that it leaves out.
func withLeftOut(u usage.Usage, out *api.LeftOut) usage.Usage {
	if out != nil {
		rest := (&api.Session{CostUSD: out.CostUSD, UnpricedTokens: out.UnpricedTokens}).Values()
		u.Total.Add(&rest)
	}
	return u
}

// logLeftOut logs the sessions that a report leaves out.
func logLeftOut(out *api.LeftOut, log *slog.Logger) {
	if out == nil {
		return
	}
	attrs := []any{"sessions", format.Number(out.Sessions), "tokens", format.Number(out.Tokens)}
	if out.CostUSD != nil {
		attrs = append(attrs, "cost", format.Cost{USD: *out.CostUSD, Unpriced: out.UnpricedTokens > 0}.Text(format.USD, "unknown"))
	}
	log.Info("The report leaves out the cheapest sessions", attrs...)
}

// sessions returns the sessions that the flags select. It returns an error if the
// project of the flags has no session among the most recent sessions.
func (r *reportCommand) sessions(from source, parameters url.Values, log *slog.Logger) (api.Sessions, error) {
	selected, err := from.sessions(parameters)
	if err == nil && len(selected.Sessions) == 0 {
		logEmpty(from, log)
	}
	if err != nil || len(selected.Sessions) > 0 || len(r.project) == 0 {
		return selected, err
	}
	last, err := from.sessions(url.Values{"limit": parameters["limit"]})
	if err != nil {
		return selected, err
	}
	return selected, checkProject(r.project[0], last)
}
