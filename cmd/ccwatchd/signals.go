package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// signals are those that the daemon acts on. They are caught from its start to
// its very end, since what they do to a program that does not ask for them is
// to kill it.
type signals struct {
	ends    chan os.Signal
	hangups chan os.Signal
	cleanUp func() // before a second one ends the process; nil for nothing
}

func catchSignals() signals {
	s := signals{ends: make(chan os.Signal, 2), hangups: make(chan os.Signal, 1)}
	signal.Notify(s.ends, os.Interrupt, syscall.SIGTERM)
	signal.Notify(s.hangups, syscall.SIGHUP)
	return s
}

// obey waits for one of the signals that end a program. A second one ends the
// process at once, which loses nothing.
func (s signals) obey(ctx context.Context, log *slog.Logger) {
	select {
	case <-ctx.Done():
	case first := <-s.ends:
		log.Info("Stopping, a second signal stops at once", "signal", first.String())
	}
	go func() {
		<-s.ends
		if s.cleanUp != nil {
			s.cleanUp()
		}
		os.Exit(1)
	}()
}

// heed reloads the configuration for every SIGHUP. It is apart from obey since
// a reload may have to wait, for the end of catching up, and the end may not.
func (s signals) heed(ctx context.Context, reload func(context.Context) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.hangups:
			_ = reload(ctx) // it logs how that went
		}
	}
}
