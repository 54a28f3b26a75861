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
	"github.com/ccwatchd/ccwatchd/metrics"
)

// errNoState says that there is no place for the state.
var errNoState = errors.New("no home directory and no $XDG_STATE_HOME: say with --state.dir where to keep the state")

// serve runs the daemon until it is told to stop.
func (c *command) serve(log *slog.Logger) error {
	if c.stateDir == "" {
		return errNoState
	}
	c.spareMemory()
	signals := catchSignals()
	log.Info("Starting ccwatchd", "version", version.Info(), "build", version.BuildContext())
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	health := metrics.NewDaemon(registry)
	load := func() (daemon.Settings, error) { return c.settings(log) }
	tell := newNotifier(log)
	d, err := daemon.New(daemon.Options{
		StateDir: c.stateDir, Load: load, Logger: log, Metrics: health, CaughtUp: c.settleDown,
		Alive: tell.alive,
	})
	if err != nil {
		return c.advise(err)
	}
	tell.followed = d
	shown := &metrics.Exposition{Source: d, Registry: registry, MaxSessions: d.MaxSessions}
	err = underServiceManager(func(ctx context.Context) error {
		return c.operate(ctx, d, tell, c.server(d, tell, shown, log), signals, log)
	})
	return errors.Join(c.advise(err), d.Close())
}

// server is the HTTP server. Who is slow to ask or to read is not waited for.
func (c *command) server(d *daemon.Daemon, tell *notifier, shown *metrics.Exposition, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: metrics.Handler(metrics.HandlerOptions{
			Exposition: shown,
			Logger:     log,
			Version:    version.Version,
			Ready:      d.Ready,
			Progress:   d.Progress,
			Summary:    d.Summary,
			Trees:      d.Trees,
			Reload:     tell.Reload,
			LastError:  c.lastError.Load,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		WriteTimeout:      time.Minute,
	}
}

// operate runs the daemon, its server and the signals, until one of them ends.
func (c *command) operate(ctx context.Context, d *daemon.Daemon, tell *notifier, server *http.Server, signals signals, log *slog.Logger) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() error {
		defer stop()
		if err := web.ListenAndServe(server, c.web, log); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve HTTP: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		tell.stopping()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			return server.Close()
		}
		return nil
	})
	group.Go(func() error {
		defer stop()
		return d.Run(ctx)
	})
	group.Go(func() error {
		defer stop()
		signals.obey(ctx, log)
		return nil
	})
	group.Go(func() error {
		signals.heed(ctx, tell.Reload)
		return nil
	})
	return group.Wait()
}
