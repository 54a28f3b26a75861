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

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

var errOtherProgram = errors.New("does not answer as ccwatchd")

// request requests JSON from a path of a daemon. isValid reports whether ccwatchd may
// have sent an answer; otherwise the error is errOtherProgram.
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

// isOtherJSON reports whether a decoding error means that the answer is empty, not
// JSON, or JSON of another type.
func isOtherJSON(err error) bool {
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	_, isType := errors.AsType[*json.UnmarshalTypeError](err)
	return isSyntax || isType || errors.Is(err, io.EOF)
}

// parseSessions checks parameters from the command line. It makes since and until
// absolute times, so that a daemon in another time zone selects the same sessions.
func parseSessions(parameters url.Values, now time.Time, zone *time.Location) (url.Values, error) {
	q, err := api.ParseSessions(parameters, now, zone)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	parameters = maps.Clone(parameters)
	if parameters.Has("since") {
		parameters.Set("since", time.UnixMilli(q.Since).UTC().Format(time.RFC3339Nano))
	}
	if q.Until != 0 {
		parameters.Set("until", time.UnixMilli(q.Until).UTC().Format(time.RFC3339Nano))
	}
	return parameters, nil
}

// answer calls ask with the daemon as source. If paths are given, or the daemon has no
// answer, it calls ask with the session files; incomplete is an error if some files
// could not be read.
func answer[T any](ctx context.Context, c *command, t *target, log *slog.Logger, now time.Time, ask func(source) (T, error)) (result T, incomplete, err error) {
	if len(c.paths) == 0 {
		client, err := t.find(ctx, c)
		if err == nil {
			result, err = ask(daemonSource{ctx, client, now})
		}
		if !t.readsFiles(err, log) {
			return result, nil, err
		}
	}
	reading, err := c.readPast(ctx, log)
	if err != nil {
		return result, nil, err
	}
	result, err = ask(fileSource{ctx, reading, now})
	return result, unread(reading), err
}

// readsFiles reports whether a command should read the session files after the error of
// a request: no daemon is reachable, the daemon is unavailable or of another user, or
// another program answers. A daemon given by --url must answer.
func (t *target) readsFiles(err error, log *slog.Logger) bool {
	_, isStranger := errors.AsType[strangerError](err)
	absent := isStranger || statusclient.IsUnreachable(err) || errors.Is(err, statusclient.ErrUnavailable) || errors.Is(err, errOtherProgram)
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

func logNoDaemon(err error, log *slog.Logger) {
	log.Info("No daemon is running, reading the session files")
	log.Debug("No answer from a daemon", "err", err)
}

// logEmpty logs where a source looked, if it has no sessions.
func logEmpty(from source, log *slog.Logger) {
	if text := from.empty(); text != "" {
		warnEmpty(log, text)
	}
}

// warnEmpty warns that there are no sessions. The text states where.
func warnEmpty(log *slog.Logger, text string) {
	log.Warn("No sessions found", "text", sentence(text))
	log.Debug("Searched for sessions", "result", text)
}
