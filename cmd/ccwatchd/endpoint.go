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
	"github.com/prometheus/exporter-toolkit/web"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/metrics"
)

// An endpoint is what the flags say of the HTTP server, beside where it listens.
type endpoint struct {
	maxRequests  uint
	lifecycle    bool
	profiling    bool
	allowedHosts []string
}

// addFlags adds the flags, which have the names of those of Prometheus and
// node_exporter where these have them.
func (e *endpoint) addFlags(app *kingpin.Application) {
	app.Flag("web.max-requests", "Maximum number of scrapes at a time. 0 is any number.").
		Default("40").UintVar(&e.maxRequests)
	app.Flag("web.enable-lifecycle", "Allow to reload the configuration by a POST to /-/reload.").
		BoolVar(&e.lifecycle)
	app.Flag("web.enable-pprof", "Serve profiles of the process below /debug/pprof/.").
		BoolVar(&e.profiling)
	app.Flag("web.allowed-host", "Name by which to answer, such as that of a proxy in front. Repeatable; localhost and addresses always work. Other names do not, where only this machine can connect; elsewhere they do unless this is given.").
		PlaceHolder("NAME").StringsVar(&e.allowedHosts)
}

// checkWeb complains of a configuration of the web server before anything is
// begun. That is read again for every connection, so it may still break later.
func (c *command) checkWeb() error {
	if err := web.Validate(*c.web.WebConfigFile); err != nil {
		return fmt.Errorf("check %s: %w", *c.web.WebConfigFile, err)
	}
	return nil
}

// listeners returns the flags of one server per address: exporter-toolkit mutates the
// TLS configuration of a server for each listener without locking. The number of
// sockets from systemd is unknown, so they share a server.
func (c *command) listeners() []*web.FlagConfig {
	if *c.web.WebSystemdSocket {
		return []*web.FlagConfig{c.web}
	}
	var all []*web.FlagConfig
	for _, address := range *c.web.WebListenAddresses {
		one := *c.web
		one.WebListenAddresses = &[]string{address}
		all = append(all, &one)
	}
	return all
}

func (c *command) handler(d *daemon.Daemon, tell *notifier, shown *metrics.Exposition, log *slog.Logger) http.Handler {
	o := metrics.HandlerOptions{
		Exposition: shown,
		Logger:     log,
		Version:    version.Version,
		Ready:      d.Ready,
		Progress:   d.Progress,
		Summary:    d.Summary,
		Trees:      d.WatchedDirs,
		Profiling:  c.endpoint.profiling,
		LastError:  c.lastError.Load,
		Unknown:    d.Unknown,
		MaxScrapes: int(c.endpoint.maxRequests),
	}
	if c.endpoint.lifecycle {
		o.Reload = tell.Reload
	}
	return metrics.Handler(o)
}

// limits are the timeouts of the HTTP server.
type limits struct {
	header   time.Duration // to read the header of a request
	exchange time.Duration // to read all of a request, and to write its answer
	idle     time.Duration // between two requests
	shutdown time.Duration // for requests to complete at the end
}

func usualLimits() limits {
	return limits{header: 10 * time.Second, exchange: time.Minute, idle: 2 * time.Minute, shutdown: 5 * time.Second}
}

// maxHeader is the longest header of a request. Nobody sends cookies.
const maxHeader = 64 << 10

// server returns the HTTP server. It disconnects slow clients, and checks the Host
// header of requests: see hostCheck.
func (c *command) server(next http.Handler, l limits, log *slog.Logger) *http.Server {
	hosts := c.hostCheck()
	return &http.Server{
		Handler:           hosts.middleware(next),
		ReadHeaderTimeout: l.header,
		ReadTimeout:       l.exchange,
		WriteTimeout:      l.exchange,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    maxHeader,
		BaseContext: func(listener net.Listener) context.Context {
			address := listener.Addr()
			if !loopback(address) && *c.web.WebConfigFile == "" && address.Network() != "unix" {
				log.Warn("Listening on a non-loopback address without TLS or authentication", "address", address.String())
			}
			if c.checksHosts(address) {
				return withHostCheck(context.Background())
			}
			return context.Background()
		},
	}
}
