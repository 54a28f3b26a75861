package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
)

// errNoAnswer is the error of a service that was started and stays silent.
var errNoAnswer = errors.New("no answer")

// progressInterval is the interval between two lines about the progress.
const progressInterval = 2 * time.Second

// checkFree returns an error for an address in use: the process there would be
// mistaken for the new service.
func checkFree(ctx context.Context, address string) error {
	if strings.Contains(address, "://") {
		return nil // not TCP, and not reachable by HTTP either
	}
	var of net.ListenConfig
	l, err := of.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%w; use another --%s", err, listenFlag)
	}
	return l.Close()
}

// startAndWait starts the service and waits until it has read everything, for as
// long as it makes progress. With some managers start returns only then.
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
