package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

var errOtherProgram = errors.New("does not answer as ccwatchd")

// request requests JSON from a path of a daemon. isValid reports whether an answer may
// be one of ccwatchd. The error of an answer that is not is errOtherProgram.
func request[T any](ctx context.Context, client *statusclient.Client, path string, parameters url.Values, isValid func(*T) bool) (answer T, err error) {
	body, err := client.Stream(ctx, path+"?"+parameters.Encode())
	if err != nil {
		return answer, err
	}
	defer body.Close() //nolint:errcheck // only read
	err = json.NewDecoder(body).Decode(&answer)
	if isOtherJSON(err) || err == nil && !isValid(&answer) {
		err = errOtherProgram
	}
	if err != nil {
		return answer, fmt.Errorf("%s: %w", client.URL(), err)
	}
	return answer, nil
}

// isOtherJSON reports whether the error of an answer means that it is empty, not JSON,
// or other JSON.
func isOtherJSON(err error) bool {
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	_, isType := errors.AsType[*json.UnmarshalTypeError](err)
	return isSyntax || isType || errors.Is(err, io.EOF)
}

// requestUsage requests the usage from a daemon.
func requestUsage(ctx context.Context, client *statusclient.Client, parameters url.Values) (usage.Usage, error) {
	return request(ctx, client, api.UsagePath, parameters, func(u *usage.Usage) bool { return u.Step != "" })
}

// requestToday requests the usage of today from a daemon. It returns nil if the daemon
// records no history.
func requestToday(ctx context.Context, client *statusclient.Client, now time.Time) *usage.Usage {
	today := url.Values{"since": {"today"}, "step": {string(usage.Total)}}
	setZone(today, localZone(), now, now)
	u, err := requestUsage(ctx, client, today)
	if err != nil {
		return nil
	}
	return &u
}

// requestLimits requests the usage limits from a daemon. It returns nil if they are not
// known.
func requestLimits(ctx context.Context, client *statusclient.Client) *api.Limits {
	l, err := request(ctx, client, limits.Path, nil, func(l *api.Limits) bool { return !l.Time.IsZero() })
	if err != nil {
		return nil
	}
	return &l
}

// parseSessions returns the query of sessions that parameters of the command line
// describe in a time zone, and the parameters that request it from a daemon in any
// zone.
func parseSessions(parameters url.Values, now time.Time, zone *time.Location) (q ledger.SessionQuery, request url.Values, err error) {
	if q, err = api.ParseSessions(parameters, now, zone); err != nil {
		return q, nil, fmt.Errorf("--%w", err)
	}
	request = maps.Clone(parameters)
	if parameters.Has("since") {
		request.Set("since", time.UnixMilli(q.Since).UTC().Format(time.RFC3339Nano))
	}
	return q, request, nil
}

// requestSessions requests the sessions from a daemon.
func requestSessions(ctx context.Context, client *statusclient.Client, parameters url.Values) (api.Sessions, error) {
	return request(ctx, client, api.SessionsPath, parameters, func(s *api.Sessions) bool { return !s.Time.IsZero() })
}

// answer returns what the function ask requests from the daemon. If session files are
// given, or the daemon has no answer, the function read returns it from what was read;
// incomplete is an error if some files could not be read.
func answer[T any](
	ctx context.Context, c *command, t *target, log *slog.Logger, ask func(*statusclient.Client) (T, error), read func(*daemon.Reading) (T, error),
) (result T, incomplete, err error) {
	if len(c.paths) == 0 {
		result, err = ask(t.client(c))
		if !t.readsFiles(err, log) {
			return result, nil, err
		}
	}
	reading, err := c.readPast(ctx, log)
	if err != nil {
		return result, nil, err
	}
	result, err = read(reading)
	return result, unread(reading), err
}

// readsFiles reports whether a command should read the session files after the error of
// a request: no daemon is reachable, it has nothing to answer with, or another program
// is there. A daemon that was named by its URL must answer.
func (t *target) readsFiles(err error, log *slog.Logger) bool {
	absent := statusclient.IsUnreachable(err) || errors.Is(err, statusclient.ErrUnavailable) || errors.Is(err, errOtherProgram)
	if t.url != "" || !absent {
		return false
	}
	if statusclient.IsUnreachable(err) {
		logNoDaemon(err, log)
	} else {
		log.Info("No usable answer from a daemon, reading the session files", "err", err)
	}
	return true
}

// logNoDaemon logs that a command reads the session files after the error of a request.
func logNoDaemon(err error, log *slog.Logger) {
	log.Info("No daemon is running, reading the session files")
	log.Debug("No answer from a daemon", "err", err)
}
