package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sync/errgroup"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/servicecmd"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/push"
)

// errNoState is the error of a missing default for --state.dir.
var errNoState = errors.New("no home directory and no $XDG_STATE_HOME: say with --state.dir where to keep the state")

// serve runs the daemon until a signal ends it.
func (c *command) serve(s *signals, log *slog.Logger) error {
	if c.stateDir == "" {
		return errNoState
	}
	if err := c.checkWeb(); err != nil {
		return err
	}
	c.tuneGC()
	log.Info("Starting ccwatchd", "version", version.Info(), "build", version.BuildContext())
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	health := metrics.NewDaemon(registry)
	var d *daemon.Daemon
	shown := &metrics.Exposition{Registry: registry}
	sender := newPusher(shown, health, log)
	tell := newNotifier(log)
	d, err := daemon.New(daemon.Options{
		StateDir: c.stateDir, Load: c.loader(sender, log), Logger: log, Metrics: health, CaughtUp: c.freeMemory,
		Alive: tell.alive,
	})
	if err != nil {
		return c.withHint(err)
	}
	tell.followed = d
	shown.Provider, shown.MaxSessions = d, d.MaxSessions
	err = servicecmd.Host(func(ctx context.Context) error {
		return c.operate(ctx, d, sender, tell, c.handler(d, tell, shown, log), s, log)
	})
	return errors.Join(c.withHint(err), d.Close())
}

// operate starts everything that runs beside each other, and stops all of it when
// one part ends. It returns after all parts have.
func (c *command) operate(ctx context.Context, d *daemon.Daemon, sender *push.Pusher, tell *notifier, handler http.Handler, s *signals, log *slog.Logger) error {
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
	atStop := func(part func() error) {
		group.Go(func() error {
			<-ctx.Done()
			return part()
		})
	}

	limits := usualLimits()
	for _, flags := range c.listeners() {
		server := c.server(handler, limits, log)
		start(func() error { return listenAndServe(server, flags, log) })
		atStop(func() error { return shutDown(s.urgent, server, limits.shutdown) })
	}
	start(func() error {
		defer read()
		return d.Run(ctx)
	})
	group.Go(func() error {
		sender.Run(reading) // outlives the daemon to send its last counters
		return nil
	})
	if c.background != nil {
		start(func() error { return c.background(ctx) })
	}
	start(func() error {
		s.waitForTermination(ctx, log)
		return nil
	})
	group.Go(func() error {
		s.reloadOnHUP(ctx, tell.Reload)
		return nil
	})
	atStop(func() error {
		tell.stopping()
		return nil
	})
	return group.Wait()
}

// listenAndServe serves until the server is shut down.
func listenAndServe(server *http.Server, flags *web.FlagConfig, log *slog.Logger) error {
	if err := web.ListenAndServe(server, flags, log); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// shutDown stops a server. It waits for requests to complete until a timeout, or
// until ctx ends.
func shutDown(ctx context.Context, server *http.Server, timeout time.Duration) error {
	grace, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return server.Close()
	}
	return nil
}
