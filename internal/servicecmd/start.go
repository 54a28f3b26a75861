package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/loopback"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

// errNoAnswer is returned if a started service does not answer in time.
var errNoAnswer = errors.New("no answer")

// errRuns is returned if a daemon that is not the service has the address.
var errRuns = errors.New("ccwatchd already runs")

// progressInterval is the interval between two progress lines.
const progressInterval = 2 * time.Second

// change starts, stops or restarts the service. Before starting it, it checks the
// configuration.
func (s *controller) change(ctx context.Context, do func(manager) error, starts bool) error {
	m, info, err := s.installed()
	if err != nil {
		return err
	}
	if starts {
		// A restart must not stop a service that cannot start again.
		if err := s.checkConfig(info.args); err != nil {
			return err
		}
	}
	if err := do(m); err != nil {
		return fmt.Errorf("change the service: %w; see %s", err, s.paths.log)
	}
	if s.inspect(m).running {
		s.printf("The %s runs.", s.paths.name)
		return s.startAndWait(ctx, func() error { return nil }, s.client(info))
	}
	s.printf("The %s is stopped.", s.paths.name)
	return nil
}

// checkFree returns an error if an address is in use: the process there would be
// mistaken for the new service. It names a daemon there.
func checkFree(ctx context.Context, address string) error {
	if strings.Contains(address, "://") {
		return nil // not TCP, and not reachable by HTTP
	}
	var of net.ListenConfig
	l, err := of.Listen(ctx, "tcp", loopback.Listen(address))
	if err == nil {
		return l.Close()
	}
	if url, daemon, ok := statusclient.Occupant(ctx, address); ok {
		return fmt.Errorf("%w: %s/ (%s): stop it first, or use another --%s", errRuns, url, daemon.Process(), listenFlag)
	}
	return fmt.Errorf("%w; use another --%s", err, listenFlag)
}

// startAndWait starts the service and waits, as long as it answers, until it has read
// everything. With some managers, start itself waits.
func (s *controller) startAndWait(ctx context.Context, start func() error, client *statusclient.Client) error {
	started := make(chan error, 1)
	go func() { started <- start() }()
	tick := time.NewTicker(s.interval)
	defer tick.Stop()
	printed, answered := time.Now(), time.Now()
	for starting := true; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-started:
			if err != nil {
				return fmt.Errorf("start the service: %w; see %s", err, s.paths.log)
			}
			starting, answered = false, time.Now()
			continue
		case <-tick.C:
		}
		status, err := client.Status(ctx)
		switch {
		case err == nil && status.Ready && !starting, errors.Is(err, statusclient.ErrPassword) && !starting:
			return nil
		case err == nil:
			if answered = time.Now(); time.Since(printed) > progressInterval && !status.Ready {
				printed = answered
				s.printf("Reading: %d of %d files, %d %%", status.Files, status.FilesTotal, status.Percent)
			}
		case !starting && time.Since(answered) > s.timeout:
			return fmt.Errorf("wait for the service: %w at %s: %w; see %s", errNoAnswer, client.URL(), err, s.paths.log)
		}
	}
}
