package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/version"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/web"
)

// serverFlags are the flags of the HTTP server except those of exporter-toolkit.
type serverFlags struct {
	maxRequests  uint
	lifecycle    bool
	allowedHosts []string
}

// addFlags adds the flags. They have the names that Prometheus and node_exporter use,
// where these have such a flag.
func (f *serverFlags) addFlags(app *kingpin.Application) {
	app.Flag("web.max-requests", "Maximum number of concurrent scrapes, of concurrent requests to the API, and of those for the page. 0 is no limit.").
		Default("40").UintVar(&f.maxRequests)
	app.Flag("web.enable-lifecycle", "Enable reloading the configuration by a POST or PUT request to /-/reload.").
		BoolVar(&f.lifecycle)
	app.Flag("web.allowed-host", "Host name to accept in requests, such as that of a reverse proxy. Repeatable. localhost and IP addresses are always accepted; other names are rejected on loopback addresses, and on all addresses once this flag is given.").
		PlaceHolder("NAME").StringsVar(&f.allowedHosts)
}

// checkWeb checks the configuration file of the web server. That is read again for
// every connection, so it may still become invalid later.
func (c *command) checkWeb() error {
	if err := toolkit.Validate(*c.web.WebConfigFile); err != nil {
		return fmt.Errorf("check %s: %w", *c.web.WebConfigFile, err)
	}
	return nil
}

// listeners returns the flags of one server per address: exporter-toolkit mutates the
// TLS configuration of a server for each listener without locking. The number of
// sockets from systemd is unknown, so they share a server.
func (c *command) listeners() []*toolkit.FlagConfig {
	if *c.web.WebSystemdSocket {
		return []*toolkit.FlagConfig{c.web}
	}
	var all []*toolkit.FlagConfig
	for _, address := range *c.web.WebListenAddresses {
		one := *c.web
		one.WebListenAddresses = &[]string{address}
		all = append(all, &one)
	}
	return all
}

func (c *command) handler(d *daemon.Daemon, n *notifier, exposition *metrics.Exposition, limits *usageLimits, log *slog.Logger) http.Handler {
	source := metrics.Source{
		History: d.History, Sessions: d.Sessions, Limits: limits.windows, ContextWindow: limits.store.ContextWindow,
		Location: d.Zone, Logger: log,
	}
	o := metrics.HandlerOptions{
		Exposition:  exposition,
		Logger:      log,
		Version:     version.Version,
		Ready:       d.Ready,
		Progress:    d.Progress,
		Summary:     d.Summary,
		WatchedDirs: d.WatchedDirs,
		LastError:   c.lastError.Load,
		Unknown:     d.Unknown,
		MaxScrapes:  int(c.serverFlags.maxRequests),
		Limits:      limits.handler(),
		API:         api.Handler(api.Options{Source: source, Version: version.Version}),
	}
	if c.serverFlags.lifecycle {
		o.Reload = n.Reload
	}
	o.Page = web.New(web.Options{Source: source, Status: o.Status, Progress: d.Progress, ReadSession: d.ReadSession})
	return metrics.Handler(o)
}

// serverLimits are the timeouts of the HTTP server.
type serverLimits struct {
	header   time.Duration // to read the header of a request
	exchange time.Duration // to read a whole request, and to write its response
	idle     time.Duration // between two requests
	shutdown time.Duration // for requests to complete at shutdown
}

func defaultLimits() serverLimits {
	return serverLimits{header: 10 * time.Second, exchange: time.Minute, idle: 2 * time.Minute, shutdown: 5 * time.Second}
}

// maxHeader is the limit for the header of a request, which needs no cookies.
const maxHeader = 64 << 10

// server returns the HTTP server. It disconnects slow clients, and checks the Host
// header of requests: see hostCheck.
func (c *command) server(next http.Handler, l serverLimits, log *slog.Logger) *http.Server {
	hosts := c.hostCheck()
	return &http.Server{
		Handler:           hosts.middleware(next),
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.exchange,
		WriteTimeout:      l.exchange,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    maxHeader,
		BaseContext: func(listener net.Listener) context.Context {
			c.reportListening(listener)
			address := listener.Addr()
			if !loopback(address) {
				c.exposed.Store(true)
				if *c.web.WebConfigFile == "" && address.Network() != "unix" {
					log.Warn("Listening on a non-loopback address without TLS or authentication", "address", address.String())
				}
			}
			if c.checksHosts(address) {
				return withHostCheck(context.Background())
			}
			return context.Background()
		},
	}
}
