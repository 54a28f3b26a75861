package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// signals are the signals that the daemon handles. They are caught until the process
// ends, since their default action would kill it.
type signals struct{ terminate, hangup chan os.Signal }

func catchSignals() *signals {
	s := &signals{make(chan os.Signal, 2), make(chan os.Signal, 1)}
	signal.Notify(s.terminate, os.Interrupt, syscall.SIGTERM)
	signal.Notify(s.hangup, syscall.SIGHUP)
	return s
}

// waitForTermination waits for the first termination signal. A second signal ends the
// process at once: a crash loses nothing.
func (s *signals) waitForTermination(ctx context.Context, log *slog.Logger) {
	select {
	case <-ctx.Done():
	case first := <-s.terminate:
		log.Info("Stopping, a second signal stops at once", "signal", first.String())
	}
	go func() {
		<-s.terminate
		os.Exit(1)
	}()
}

// reloadOnHUP reloads the configuration on every SIGHUP. It needs its own goroutine,
// since a reload may wait for the end of catching up.
func (s *signals) reloadOnHUP(ctx context.Context, reload func(context.Context) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.hangup:
			_ = reload(ctx) // logs its error
		}
	}
}
