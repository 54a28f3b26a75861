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
type signals struct {
	terminate chan os.Signal
	hangup    chan os.Signal

	// cleansUp is set if files are removed at the end, after everything that writes
	// them has stopped. The second signal then only cancels urgent, and the third one
	// ends the process.
	cleansUp bool
	urgent   context.Context // once it is canceled, a shutdown does not wait for clients
	hurry    context.CancelFunc
	exit     func(code int)
}

func catchSignals() *signals {
	s := newSignals(os.Exit)
	signal.Notify(s.terminate, os.Interrupt, syscall.SIGTERM)
	signal.Notify(s.hangup, syscall.SIGHUP)
	return s
}

// newSignals returns signals that are not caught yet.
func newSignals(exit func(code int)) *signals {
	s := &signals{terminate: make(chan os.Signal, 3), hangup: make(chan os.Signal, 1), exit: exit}
	s.urgent, s.hurry = context.WithCancel(context.Background())
	return s
}

// waitForTermination waits for the first termination signal. A second one ends the
// process at once: a crash loses nothing.
func (s *signals) waitForTermination(ctx context.Context, log *slog.Logger) {
	select {
	case <-ctx.Done():
	case first := <-s.terminate:
		log.Info("Stopping, a second signal stops at once", "signal", first.String())
	}
	go func() {
		<-s.terminate
		if s.cleansUp {
			s.hurry()
			<-s.terminate
		}
		s.exit(1)
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
