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
	"github.com/ccwatchd/ccwatchd/push"
)

// errNoState says that there is no place for the state.
var errNoState = errors.New("no home directory and no $XDG_STATE_HOME: say with --state.dir where to keep the state")

// serve runs the daemon until it is told to stop.
func (c *command) serve(signals signals, log *slog.Logger) error {
	if c.stateDir == "" {
		return errNoState
	}
	if err := c.checkWeb(); err != nil {
		return err
	}
	c.spareMemory()
	log.Info("Starting ccwatchd", "version", version.Info(), "build", version.BuildContext())
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	health := metrics.NewDaemon(registry)
	var d *daemon.Daemon
	shown := &metrics.Exposition{Registry: registry}
	sender := newPusher(shown, health, log)
	tell := newNotifier(log)
	d, err := daemon.New(daemon.Options{
		StateDir: c.stateDir, Load: c.loader(sender, log), Logger: log, Metrics: health, CaughtUp: c.settleDown,
		Alive: tell.alive,
	})
	if err != nil {
		return c.advise(err)
	}
	tell.followed = d
	shown.Source, shown.MaxSessions = d, d.MaxSessions
	err = underServiceManager(func(ctx context.Context) error {
		return c.operate(ctx, d, sender, tell, c.handler(d, tell, shown, log), signals, log)
	})
	return errors.Join(c.advise(err), d.Close())
}

// operate runs the daemon, its servers and the signals, until one of them ends.
func (c *command) operate(ctx context.Context, d *daemon.Daemon, sender *push.Pusher, tell *notifier, handler http.Handler, signals signals, log *slog.Logger) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reading, read := context.WithCancel(context.WithoutCancel(ctx))
	defer read()
	for _, flags := range c.listeners() {
		server := c.server(handler, usualLimits(), log)
		group.Go(func() error {
			defer stop()
			if err := web.ListenAndServe(server, flags, log); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve HTTP: %w", err)
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			return shutDown(server)
		})
	}
	group.Go(func() error {
		<-ctx.Done()
		tell.stopping()
		return nil
	})
	group.Go(func() error {
		defer stop()
		defer read()
		return d.Run(ctx)
	})
	group.Go(func() error {
		sender.Run(reading) // so that what was read last is sent too
		return nil
	})
	if c.beside != nil {
		group.Go(func() error {
			defer stop()
			return c.beside(ctx)
		})
	}
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

// shutDown ends a server, and waits for who is being answered, but not for long.
func shutDown(server *http.Server) error {
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return server.Close()
	}
	return nil
}
