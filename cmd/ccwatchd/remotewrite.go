package main

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/version"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/backfill"
)

// endpoints returns the remote-write endpoints of the configuration.
func endpoints(cfg *config.Config) []push.Endpoint {
	var all []push.Endpoint
	for _, r := range cfg.RemoteWrite {
		all = append(all, push.Endpoint{
			Name: r.Name, URL: r.URL, Protocol: remote.WriteMessageType(r.ProtobufMessage),
			Interval: time.Duration(r.Interval), Timeout: time.Duration(r.Timeout),
			Labels: r.Labels, Headers: r.Headers, HTTP: r.HTTP,
			UserAgent: "ccwatchd/" + version.Version,
		})
	}
	return all
}

func newPusher(source prometheus.TransactionalGatherer, health *metrics.Daemon, log *slog.Logger) *push.Pusher {
	return push.New(push.Options{
		Source: source, Logger: log, Now: time.Now,
		Metrics: push.Metrics{
			Samples: health.RemoteWriteSamples, Failures: health.RemoteWriteFailures, LastSuccess: health.RemoteWriteLastSuccess,
			History: health.RemoteWriteHistory,
		},
	})
}

// loader returns a function that reads the configuration and, if it is valid,
// configures the pusher.
func (c *command) loader(sender *push.Pusher, log *slog.Logger) func() (daemon.Settings, error) {
	return func() (daemon.Settings, error) {
		cfg, err := c.config()
		if err != nil {
			return daemon.Settings{}, err
		}
		s, err := settingsOf(cfg, log)
		if err != nil {
			return daemon.Settings{}, err
		}
		if err := sender.Configure(endpoints(cfg)); err != nil {
			return daemon.Settings{}, err
		}
		c.logWarnings(cfg, log)
		return s, nil
	}
}

// pastOf returns a function that returns the samples that a server lacks after an
// interruption.
func pastOf(d *daemon.Daemon) func(since, now int64) ([]*push.Past, bool) {
	return func(since, now int64) ([]*push.Past, bool) {
		h, ok := d.History()
		return backfill.Since(h, since, now), ok
	}
}
