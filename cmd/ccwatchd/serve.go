package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"
	"golang.org/x/sync/errgroup"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/servicecmd"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/server"
	"github.com/ccwatchd/ccwatchd/usage"
)

// errNoState is the error of --state.dir without a value or a default.
var errNoState = errors.New("no home directory and no $XDG_STATE_HOME: set --state.dir")

// addServerFlags adds the flags of the web server, with the names of Prometheus and
// node_exporter where possible.
func (c *command) addServerFlags() {
	c.web.FlagConfig = kingpinflag.AddFlags(c.app, defaultAddress)
	c.app.Flag("web.max-requests", "Maximum number of concurrent requests, separately for scrapes, the API and the page. 0 is no limit.").
		Default("40").UintVar(&c.maxRequests)
	c.app.Flag("web.enable-lifecycle", "Enable reloading the configuration by a POST or PUT request to /-/reload.").
		BoolVar(&c.lifecycle)
	c.app.Flag("web.allowed-host", "Host name to accept in requests, such as the name of a reverse proxy. Repeatable. localhost and IP addresses are always accepted; other names are rejected on loopback addresses, and on all addresses once this flag is given.").
		PlaceHolder("NAME").StringsVar(&c.web.AllowedHosts)
}

// serve runs the daemon until a signal stops it.
func (c *command) serve(s *signals, log *slog.Logger) error {
	if c.stateDir == "" {
		return errNoState
	}
	if err := c.web.CheckFile(); err != nil {
		return err
	}
	c.tuneGC()
	log.Info("Starting ccwatchd", "version", version.Version, "build", version.BuildContext())
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	health := metrics.NewDaemon(registry)
	exposition := &metrics.Exposition{Registry: registry}
	sender := newPusher(exposition, health, log)
	n := newNotifier(log)
	d, err := daemon.New(daemon.Options{
		StateDir: c.stateDir, Load: c.loader(sender, log), Logger: log, Metrics: health, CaughtUp: c.caughtUp,
		Alive: n.alive, ReadAgain: c.readAgain,
	})
	if err != nil {
		return c.withHint(err)
	}
	n.source = d
	instance := rand.Text()
	web := &server.Server{Config: &c.web, Logger: log, OnListen: func(address net.Addr) { c.reportListening(address, instance, d, log) }}
	limits := newUsageLimits(d, web.IsLocal, log)
	exposition.Provider, exposition.MaxSessions, exposition.Limits = d, d.MaxSessions, limits.windows
	exposition.Running = d.Running
	sender.History, sender.Storage = pastOf(d), d
	err = servicecmd.Host(func(ctx context.Context) error {
		return runAll(ctx, d, sender, n, web, c.handler(d, n, exposition, limits, instance, log), s, log)
	})
	return errors.Join(c.withHint(err), limits.save(), d.Close())
}

func (c *command) handler(d *daemon.Daemon, n *notifier, exposition *metrics.Exposition, limits *usageLimits, instance string, log *slog.Logger) http.Handler {
	o := server.Options{
		Version:    version.Version,
		Instance:   instance,
		Exposition: exposition,
		Source: usage.Source{
			History: d.History, Sessions: d.Sessions, ReadSessions: d.ReadSessions, Limits: limits.windows, ContextWindow: limits.contextWindow,
			Location: d.Zone, Logger: log,
		},
		Ready:         d.Ready,
		Progress:      d.Progress,
		Summary:       d.Summary,
		WatchedDirs:   d.WatchedDirs,
		LastError:     c.lastError.Load,
		Unknown:       d.Unknown,
		Limits:        limits.handler(),
		LimitsRefused: limits.refusal,
		MaxRequests:   int(c.maxRequests),
	}
	if c.lifecycle {
		o.Reload = n.Reload
	}
	return server.Handler(o)
}

// runAll runs the parts of the process concurrently. When any part returns it stops
// them all, and returns when all have ended.
func runAll(ctx context.Context, d *daemon.Daemon, sender *push.Pusher, n *notifier, web *server.Server, handler http.Handler, s *signals, log *slog.Logger) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reading, read := context.WithCancel(context.WithoutCancel(ctx))
	defer read()
	start := func(part func() error) {
		group.Go(func() error {
			defer stop()
			return part()
		})
	}
	start(func() error { return web.Run(ctx, handler) })
	start(func() error {
		defer read()
		return d.Run(ctx)
	})
	group.Go(func() error {
		sender.Run(reading) // outlives the daemon to send its last counters
		return nil
	})
	start(func() error {
		s.waitForTermination(ctx, log)
		return nil
	})
	group.Go(func() error {
		s.reloadOnHUP(ctx, n.Reload)
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		n.stopping()
		return nil
	})
	return group.Wait()
}
