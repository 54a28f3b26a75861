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

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/report"
)

// bySession is the value of --by for a row for each session. Sessions are no label of
// metrics.
const bySession = "session"

var errSession = errors.New("--by session: use it without other names, with --since, --project (once) and --tz only")

// runSessions prints a report of sessions.
func (r *reportCommand) runSessions(ctx context.Context, c *command, stdout io.Writer, log *slog.Logger, now time.Time) (int, error) {
	if !slices.Equal(api.SplitNames(r.by), []string{bySession}) || r.until != "" || len(r.project) > 1 || len(r.model)+len(r.where) > 0 {
		return 2, errSession
	}
	zone, err := api.ParseZone(r.zone, localZone())
	if err != nil {
		return 2, fmt.Errorf("--%w", err)
	}
	now = now.In(zone)
	since := cmp.Or(r.since, defaultSince(usage.Total, now).Format(time.RFC3339))
	parameters := url.Values{"since": {since}, "limit": {strconv.Itoa(api.MaxSessions)}}
	if len(r.project) == 1 {
		parameters.Set("project", r.project[0])
	}
	q, parameters, err := parseSessions(parameters, now)
	if err != nil {
		return 2, err
	}
	all, incomplete, err := r.sessions(ctx, c, parameters, q, log)
	if err != nil {
		return exitCode(err), err
	}
	if r.asJSON {
		return 0, errors.Join(printJSON(stdout, all), incomplete)
	}
	u := report.Sessions(all, zone)
	if r.since != "all" {
		u.Since = time.UnixMilli(q.Since)
	}
	return 0, errors.Join(r.print(c, stdout, &u), incomplete)
}

// sessions asks the daemon, or else reads the session files. incomplete is an error if
// some of them could not be read.
func (r *reportCommand) sessions(
	ctx context.Context, c *command, parameters url.Values, q ledger.SessionQuery, log *slog.Logger,
) (all api.Sessions, incomplete, err error) {
	if len(c.paths) == 0 {
		all, err = requestSessions(ctx, r.daemon.client(c), parameters)
		if !r.daemon.readsFiles(err, log) {
			return all, nil, err
		}
	}
	reading, err := c.readConfigured(ctx, log)
	if err != nil {
		return all, nil, err
	}
	return api.NewSessions(reading.Sessions(q)), unread(reading), nil
}
