package torture

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// A fault is a disturbance of the daemon or of its files.
type fault struct {
	name   string
	weight int
	// inject reports whether it did anything. It schedules the end of the fault.
	inject func(*run, context.Context) (bool, error)
}

// Names of counts that are not faults.
const (
	kills     = "kill -9"
	terms     = "SIGTERM"
	termKills = "SIGTERM, kill -9"
	starts    = "starts"
)

// faults returns all faults, and one check of whether the daemon still follows.
func faults() []fault {
	onTree := func(inject func(*tree) (bool, error)) func(*run, context.Context) (bool, error) {
		return func(r *run, _ context.Context) (bool, error) { return inject(r.tree) }
	}
	return []fault{
		{"truncated", 20, onTree(onAny((*tree).truncate))},
		{"replaced", 20, onTree(onAny((*tree).replace))},
		{"moved", 20, onTree((*tree).move)},
		{"project moved", 6, onTree((*tree).moveProject)},
		{"moved and rewritten", 10, onTree((*tree).moveAndRewrite)},
		{"saved in place", 12, (*run).saveInPlace},
		{"copied", 10, onTree((*tree).copy)},
		{"cloned", 6, onTree((*tree).clone)},
		{"shortened", 2, (*run).shorten},
		{"time changed", 8, onTree(onAny((*tree).touch))},
		{"hidden", 8, (*run).hide},
		{"deleted", 4, (*run).remove},
		{"all recreated", 1, (*run).recreate},
		{"SIGSTOP", 5, (*run).pause},
		{"queue overflows", 1, (*run).overflowEvents},
		{"reloaded", 6, (*run).reload},
		{"bad configuration", 3, (*run).misconfigure},
		{"new session awaited", 8, (*run).awaitNewSession},
	}
}

// injectFault picks a fault at random and injects it.
func (r *run) injectFault(ctx context.Context) error {
	all, sum := faults(), 0
	for _, f := range all {
		sum += f.weight
	}
	n := r.rng.IntN(sum)
	for _, f := range all {
		if n -= f.weight; n >= 0 {
			continue
		}
		done, err := f.inject(r, ctx)
		if done {
			r.count[f.name]++
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	}
	return nil
}

func (r *run) hide(context.Context) (bool, error) {
	if r.sandbox.readsAll {
		return false, nil
	}
	show, err := r.tree.hide()
	if show == nil || err != nil {
		return false, err
	}
	r.schedule(4*r.Rate, func(context.Context) error { return show() })
	return true, nil
}

func (r *run) remove(ctx context.Context) (bool, error) {
	files := r.tree.chooseDeletions()
	if len(files) == 0 {
		return false, nil
	}
	if err := r.restart(ctx); err != nil {
		return false, err
	}
	for _, f := range files {
		r.schedule(2*r.Rate, func(context.Context) error { return r.tree.remove(f) })
	}
	r.count["files deleted"] += len(files)
	return true, nil
}

func (r *run) recreate(ctx context.Context) (bool, error) {
	if err := r.runScheduled(ctx); err != nil {
		return false, err
	}
	if err := r.restart(ctx); err != nil {
		return false, err
	}
	if r.rng.IntN(3) == 0 {
		if err := r.kill(ctx); err != nil {
			return false, err
		}
	}
	pause := time.Duration(r.rng.IntN(1500)) * time.Millisecond
	return true, r.tree.recreate(func() { <-time.After(pause) })
}

func (r *run) pause(ctx context.Context) (bool, error) {
	p := r.daemon
	if p == nil || p.paused {
		return false, nil
	}
	if err := r.awaitListening(ctx); err != nil {
		return false, err
	}
	if err := sigstop(p.cmd.Process); err != nil {
		return false, err
	}
	p.paused = true
	r.schedule(3*r.Rate, func(context.Context) error { return r.resume(p) })
	return true, nil
}

// resume continues a paused daemon unless it has ended.
func (r *run) resume(p *process) error {
	if p != r.daemon || !p.paused {
		return nil
	}
	p.paused = false
	return sigcont(p.cmd.Process)
}

// overflowEvents pauses the daemon, overflows its queue of file events in the kernel,
// and writes lines whose events are lost.
func (r *run) overflowEvents(ctx context.Context) (bool, error) {
	if paused, err := r.pause(ctx); !paused || err != nil {
		return false, err
	}
	if _, err := onAny((*tree).overflowEvents)(r.tree); err != nil {
		return false, err
	}
	for range 200 {
		if err := r.tree.writeChunk(); err != nil {
			return false, err
		}
	}
	return true, r.resume(r.daemon)
}

func (r *run) reload(ctx context.Context) (bool, error) {
	return r.reconfigure(ctx, r.config(longTimeout))
}

// isFollowing reports whether a daemon runs and is not paused, and waits until it is
// ready.
func (r *run) isFollowing(ctx context.Context) (bool, error) {
	if r.daemon == nil || r.daemon.paused {
		return false, nil
	}
	return true, r.awaitReady(ctx)
}

// misconfigure has the daemon reject an invalid configuration, and then load a valid
// one.
func (r *run) misconfigure(ctx context.Context) (bool, error) {
	if ready, err := r.isFollowing(ctx); !ready || err != nil {
		return false, err
	}
	if _, err := r.reconfigure(ctx, "intervals: {scan: never}\n"); err != nil {
		return false, err
	}
	err := r.await(ctx, "the configuration is rejected", func() error {
		const successful = "ccwatchd_config_last_reload_successful"
		samples, _ := r.checker.latest()
		if got, _ := samples.Sum(successful); got != 0 {
			return fmt.Errorf("%s: want 0, got %v", successful, got)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return r.reload(ctx)
}

// awaitNewSession writes a session and waits until it is counted. With file events
// that is long before the next scan.
func (r *run) awaitNewSession(ctx context.Context) (bool, error) {
	if ready, err := r.isFollowing(ctx); !ready || err != nil {
		return false, err
	}
	if err := r.tree.probe(); err != nil {
		return false, err
	}
	since := time.Now()
	err := r.await(ctx, "a new session is counted", func() error {
		samples, _ := r.checker.latest()
		if got := probesIn(samples); got != r.tree.probes {
			return fmt.Errorf("calls of %s: want %d, got %d", probeTool, r.tree.probes, got)
		}
		return nil
	})
	r.slowest = max(r.slowest, time.Since(since))
	return true, err
}

// reconfigure writes a configuration and has the daemon reload, if it runs.
func (r *run) reconfigure(ctx context.Context, yaml string) (bool, error) {
	if r.daemon == nil {
		return false, nil
	}
	if err := r.awaitListening(ctx); err != nil {
		return false, err
	}
	if err := r.sandbox.writeConfig(yaml); err != nil {
		return false, err
	}
	return true, r.daemon.cmd.Process.Signal(syscall.SIGHUP)
}
