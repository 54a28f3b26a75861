package main

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/server"
	"github.com/ccwatchd/ccwatchd/usage"
)

// addServerFlags adds the flags of the web server. They have the names that Prometheus
// and node_exporter use, where these have such a flag.
func (c *command) addServerFlags() {
	c.web.FlagConfig = kingpinflag.AddFlags(c.app, defaultAddress)
	c.app.Flag("web.max-requests", "Maximum number of concurrent scrapes, of concurrent requests to the API, and of those for the page. 0 is no limit.").
		Default("40").UintVar(&c.maxRequests)
	c.app.Flag("web.enable-lifecycle", "Enable reloading the configuration by a POST or PUT request to /-/reload.").
		BoolVar(&c.lifecycle)
	c.app.Flag("web.allowed-host", "Host name to accept in requests, such as that of a reverse proxy. Repeatable. localhost and IP addresses are always accepted; other names are rejected on loopback addresses, and on all addresses once this flag is given.").
		PlaceHolder("NAME").StringsVar(&c.web.AllowedHosts)
}

func (c *command) handler(d *daemon.Daemon, n *notifier, exposition *metrics.Exposition, limits *usageLimits, log *slog.Logger) http.Handler {
	o := server.Options{
		Version:    version.Version,
		Exposition: exposition,
		Source: usage.Source{
			History: d.History, Sessions: d.Sessions, Limits: limits.windows, ContextWindow: limits.store.ContextWindow,
			Location: d.Zone, Logger: log,
		},
		ReadSession: d.ReadSession,
		Ready:       d.Ready,
		Progress:    d.Progress,
		Summary:     d.Summary,
		WatchedDirs: d.WatchedDirs,
		LastError:   c.lastError.Load,
		Unknown:     d.Unknown,
		Limits:      limits.handler(),
		MaxRequests: int(c.maxRequests),
	}
	if c.lifecycle {
		o.Reload = n.Reload
	}
	return server.Handler(o)
}
