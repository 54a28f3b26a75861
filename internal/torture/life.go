package torture

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// die ends the daemon, mostly without a warning, and has it started again a
// moment later; now and then it is ended again while it still starts.
func (r *run) die(context.Context) error {
	if r.daemon == nil {
		return nil
	}
	signal, name := syscall.SIGKILL, kills
	switch r.dice.IntN(6) {
	case 0:
		signal, name = syscall.SIGTERM, terms
	case 1:
		name = haste
		if err := r.hasten(); err != nil {
			return err
		}
	}
	r.count[name]++
	if err := r.end(signal); err != nil {
		return err
	}
	again := r.dice.IntN(3) == 0
	r.in(r.Rate, func(ctx context.Context) error {
		if again {
			r.in(max(1, r.Rate/4), r.die)
		}
		return r.start(ctx)
	})
	return nil
}

// hasten tells the daemon to end, and leaves it a moment in which it saves.
func (r *run) hasten() error {
	r.daemon.dying.Store(true)
	if err := r.daemon.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-time.After(time.Duration(r.dice.IntN(30)) * time.Millisecond)
	return nil
}

// seen has the daemon read everything that there is: it is started again, and
// waited for until it is ready.
func (r *run) seen(ctx context.Context) error {
	if r.daemon != nil {
		r.count[kills]++
		if err := r.end(syscall.SIGKILL); err != nil {
			return err
		}
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	return r.awaitReady(ctx)
}

// awaitListening waits until the daemon is past the moments after its start in
// which a signal ends it.
func (r *run) awaitListening(ctx context.Context) error {
	return r.await(ctx, "the daemon listens", func() error {
		select {
		case <-r.daemon.log.listens:
			return nil
		default:
			return errNotYet
		}
	})
}

// awaitReady waits until the daemon has shown everything that lay there at its start.
func (r *run) awaitReady(ctx context.Context) error {
	return r.await(ctx, "the daemon is ready", func() error {
		select {
		case <-r.daemon.ready:
			return nil
		default:
			return errNotYet
		}
	})
}

var errNotYet = errors.New("not yet")

// await waits until there is no difference any more. What is still one after a
// long time is a verdict.
func (r *run) await(ctx context.Context, what string, difference func() error) error {
	deadline := time.Now().Add(patience)
	again := time.NewTicker(scrapeEvery / 2)
	defer again.Stop()
	for {
		err := difference()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			r.judge.condemn("after %v still not: %s: %w", patience, what, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
