package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/version"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// exposedHistory requests the series that a server scrapes.
const exposedHistory = api.HistoryPath + "?" + api.ExposedParameter + "=true"

// historySource returns the history of the running daemon, or of the session files if
// paths are given or no daemon is reachable. hasEnd reports whether the user chose the
// end of the history.
func (c *command) historySource(ctx context.Context, b *backfillCommand, hasEnd bool, log *slog.Logger) (source backfill.HistoryReader, fromDaemon bool, err error) {
	if len(c.paths) == 0 {
		err := b.probe(ctx, c, log)
		switch {
		case err == nil:
			return daemonHistory(b.client), true, nil
		case !statusclient.IsUnreachable(err) || b.daemon.url != "":
			return nil, false, err
		case !hasEnd && hasState(c.stateDir):
			return nil, false, fmt.Errorf("%w, but %s has a state: start the daemon, so that the history ends where its counters began, or give --until", err, c.stateDir)
		}
		logNoDaemon(err, log)
	}
	reading, err := c.readPast(ctx, log)
	if err != nil {
		return nil, false, err
	}
	return backfill.FromLedger(reading.History(), version.Version, time.Now()), false, unread(reading)
}

// probe returns nil if a daemon has a history that this user may have meant, and logs
// whose history it is.
func (b *backfillCommand) probe(ctx context.Context, c *command, log *slog.Logger) error {
	owner, err := b.daemon.owner(ctx, c, b.client)
	if err != nil {
		return err
	}
	response, err := b.client.Stream(ctx, exposedHistory)
	if err != nil {
		return err
	}
	log.Info("Taking the history of a daemon", "text", sentence("Taking the history of "+owner), "url", b.client.URL())
	log.Debug("Daemon with the history", "owner", owner)
	return response.Close()
}

// hasState reports whether a daemon may have used a state directory. An unreadable
// directory may belong to a service.
func hasState(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0
}

func daemonHistory(client *statusclient.Client) backfill.HistoryReader {
	return func(ctx context.Context, read func(api.HistoryHeader, iter.Seq2[api.HistorySeries, error]) error) error {
		response, err := client.Stream(ctx, exposedHistory)
		if err != nil {
			return err
		}
		defer response.Close() //nolint:errcheck // only read
		header, series, err := api.ReadHistory(response)
		if err != nil {
			return err
		}
		return read(header, series)
	}
}

var errNoEndpoint = errors.New("neither a URL nor the name of an entry of remote_write")

// backfillEndpoint returns the endpoint to send to, with the labels for all series.
// --to is the name or URL of a configured endpoint, or another URL. Without --to, only
// the labels matter.
func (c *command) backfillEndpoint(ctx context.Context, b *backfillCommand) (push.Endpoint, error) {
	e := push.Endpoint{
		URL: b.to, Protocol: remote.WriteV1MessageType, Timeout: time.Minute, UserAgent: "ccwatchd/" + version.Version,
		Labels: map[string]string{"job": "ccwatchd", "instance": b.scrapedAs(ctx)},
	}
	if b.to != "" {
		cfg, err := c.config()
		if err != nil {
			return e, err
		}
		configured := endpoints(cfg)
		i := slices.IndexFunc(configured, func(e push.Endpoint) bool { return e.Name == b.to || e.URL == b.to })
		switch {
		case i >= 0:
			e = configured[i]
		case !strings.Contains(b.to, "://"):
			return e, argumentError{fmt.Errorf("--to: %q: %w", b.to, errNoEndpoint)}
		}
	}
	e.Name = cmp.Or(e.Name, hostOf(e.URL))
	e.Labels = maps.Clone(e.Labels)
	maps.Copy(e.Labels, b.labels)
	return e, nil
}

// scrapedAs returns the label instance that a scrape of the daemon that answers adds,
// or without a daemon, of one at the address of the flags.
func (b *backfillCommand) scrapedAs(ctx context.Context) string {
	_, _ = b.client.Status(ctx) // finds the daemon
	return hostOf(b.client.URL())
}

// hostOf returns the host and port of a URL, which may lack its scheme.
func hostOf(text string) string {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
