package torture

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// kill ends the daemon, mostly with SIGKILL, and schedules a start a moment later.
// Sometimes it also schedules another kill, during the start.
func (r *run) kill(context.Context) error {
	if r.daemon == nil {
		return nil
	}
	signal, name := syscall.SIGKILL, kills
	switch r.rng.IntN(6) {
	case 0:
		signal, name = syscall.SIGTERM, terms
	case 1:
		name = termKills
		if err := r.terminate(); err != nil {
			return err
		}
	}
	r.count[name]++
	if err := r.end(signal); err != nil {
		return err
	}
	again := r.rng.IntN(3) == 0
	r.schedule(r.Rate, func(ctx context.Context) error {
		if again {
			r.schedule(max(1, r.Rate/4), r.kill)
		}
		return r.start(ctx)
	})
	return nil
}

// terminate sends SIGTERM, and gives the daemon a moment to save.
func (r *run) terminate() error {
	r.daemon.ending.Store(true)
	if err := r.daemon.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-time.After(time.Duration(r.rng.IntN(30)) * time.Millisecond)
	return nil
}

// restart kills and starts the daemon, and waits until it is ready: then it has read
// everything.
func (r *run) restart(ctx context.Context) error {
	if r.daemon != nil {
		r.count[kills]++
		if err := r.end(syscall.SIGKILL); err != nil {
			return err
		}
	}
	complete := r.tree.complete()
	if err := r.start(ctx); err != nil {
		return err
	}
	if err := r.awaitReady(ctx); err != nil {
		return err
	}
	for _, f := range complete {
		f.read = true
	}
	return nil
}

// awaitListening waits until the daemon handles signals; before, they end it.
func (r *run) awaitListening(ctx context.Context) error {
	return r.await(ctx, "the daemon listens", closed(r.daemon.log.listens))
}

// awaitReady waits until a scrape has had everything that existed at the start of the
// daemon.
func (r *run) awaitReady(ctx context.Context) error {
	return r.await(ctx, "the daemon is ready", closed(r.daemon.ready))
}

func closed(c <-chan struct{}) func() error {
	return func() error {
		select {
		case <-c:
			return nil
		default:
			return errNotYet
		}
	}
}

var errNotYet = errors.New("not yet")

// await waits until check returns no error. An error that persists is a failure of the
// daemon.
func (r *run) await(ctx context.Context, what string, check func() error) error {
	deadline := time.Now().Add(patience)
	again := time.NewTicker(scrapeInterval)
	defer again.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			r.checker.fail("after %v, waiting until %s: %w", patience, what, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
