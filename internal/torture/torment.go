package torture

import (
	"context"
	"fmt"
	"time"
)

// A fault is something that goes wrong.
type fault struct {
	name   string
	weight int
	// do does it and reports whether it could be done; what ends it is done later.
	do func(*run, context.Context) (bool, error)
}

// What is counted beside faults.
const (
	kills  = "kill -9"
	terms  = "SIGTERM"
	haste  = "SIGTERM, kill -9"
	starts = "starts"
)

// faults are all of them, and what shows whether the daemon still follows.
func faults() []fault {
	onTree := func(do func(*tree) (bool, error)) func(*run, context.Context) (bool, error) {
		return func(r *run, _ context.Context) (bool, error) { return do(r.tree) }
	}
	return []fault{
		{"truncated", 20, onTree((*tree).truncate)},
		{"replaced", 20, onTree((*tree).replace)},
		{"moved", 20, onTree((*tree).move)},
		{"project moved", 6, onTree((*tree).moveProject)},
		{"moved and rewritten", 10, onTree((*tree).moveAndRewrite)},
		{"saved in place", 12, (*run).saveInPlace},
		{"copied", 10, onTree((*tree).copy)},
		{"cloned", 6, onTree((*tree).clone)},
		{"shortened", 2, (*run).shorten},
		{"time changed", 8, onTree((*tree).redate)},
		{"hidden", 8, (*run).hide},
		{"deleted", 4, (*run).remove},
		{"all recreated", 1, (*run).recreate},
		{"SIGSTOP", 5, (*run).stop},
		{"queue flooded", 1, (*run).flood},
		{"reloaded", 6, (*run).reload},
		{"bad configuration", 3, (*run).misconfigure},
		{"new session awaited", 8, (*run).hear},
	}
}

// fault draws one and does it.
func (r *run) fault(ctx context.Context) error {
	all, sum := faults(), 0
	for _, f := range all {
		sum += f.weight
	}
	n := r.dice.IntN(sum)
	for _, f := range all {
		if n -= f.weight; n >= 0 {
			continue
		}
		done, err := f.do(r, ctx)
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
	if r.place.readsAll {
		return false, nil
	}
	show, err := r.tree.hide()
	if show == nil || err != nil {
		return false, err
	}
	r.in(4*r.Rate, func(context.Context) error { return show() })
	return true, nil
}

func (r *run) remove(ctx context.Context) (bool, error) {
	doomed := r.tree.doom()
	if len(doomed) == 0 {
		return false, nil
	}
	if err := r.seen(ctx); err != nil {
		return false, err
	}
	for _, f := range doomed {
		r.in(2*r.Rate, func(context.Context) error { return r.tree.remove(f) })
	}
	r.count["files deleted"] += len(doomed)
	return true, nil
}

func (r *run) recreate(ctx context.Context) (bool, error) {
	if err := r.overtake(ctx); err != nil {
		return false, err
	}
	if err := r.seen(ctx); err != nil {
		return false, err
	}
	if r.dice.IntN(3) == 0 {
		if err := r.die(ctx); err != nil {
			return false, err
		}
	}
	pause := time.Duration(r.dice.IntN(1500)) * time.Millisecond
	return true, r.tree.recreate(func() { <-time.After(pause) })
}

func (r *run) stop(ctx context.Context) (bool, error) {
	p := r.daemon
	if p == nil || p.paused {
		return false, nil
	}
	if err := r.awaitListening(ctx); err != nil {
		return false, err
	}
	if err := pause(p.cmd.Process); err != nil {
		return false, err
	}
	p.paused = true
	r.in(3*r.Rate, func(context.Context) error { return r.goOn(p) })
	return true, nil
}

// goOn has a daemon that was stopped go on, if it is still there.
func (r *run) goOn(p *process) error {
	if p != r.daemon || !p.paused {
		return nil
	}
	p.paused = false
	return resume(p.cmd.Process)
}

// flood stops the daemon, makes more events than the kernel keeps, and writes
// what none is left for.
func (r *run) flood(ctx context.Context) (bool, error) {
	if stopped, err := r.stop(ctx); !stopped || err != nil {
		return false, err
	}
	if err := r.tree.flood(); err != nil {
		return false, err
	}
	for range 200 {
		if err := r.tree.piece(); err != nil {
			return false, err
		}
	}
	return true, r.goOn(r.daemon)
}

// reload has the daemon read another good configuration, whenever it comes to it.
func (r *run) reload(ctx context.Context) (bool, error) {
	return r.reconfigure(ctx, r.settings(never))
}

// misconfigure has the daemon read a configuration that makes no sense, and
// puts back one that does when it has been refused.
func (r *run) misconfigure(ctx context.Context) (bool, error) {
	p := r.daemon
	if p == nil || p.paused {
		return false, nil
	}
	if err := r.awaitReady(ctx); err != nil {
		return false, err
	}
	if _, err := r.reconfigure(ctx, "intervals: {scan: never}\n"); err != nil {
		return false, err
	}
	err := r.await(ctx, "a bad configuration is refused", func() error {
		const successful = "ccwatchd_config_last_reload_successful"
		if x, _ := r.judge.latest(); x.gauges[successful] != 0 {
			return fmt.Errorf("%s: want 0, got %v", successful, x.gauges[successful])
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return r.reconfigure(ctx, r.settings(never))
}

// hear writes a session and waits until it is shown, which notifications make
// happen long before the next walk does.
func (r *run) hear(ctx context.Context) (bool, error) {
	if r.daemon == nil || r.daemon.paused {
		return false, nil
	}
	if err := r.awaitReady(ctx); err != nil {
		return false, err
	}
	if err := r.tree.probe(); err != nil {
		return false, err
	}
	since := time.Now()
	err := r.await(ctx, "a new session is shown", func() error {
		x, _ := r.judge.latest()
		if got := x.probes(); got != r.tree.probes {
			return fmt.Errorf("calls of %s: want %d, got %d", probeTool, r.tree.probes, got)
		}
		return nil
	})
	r.slowest = max(r.slowest, time.Since(since))
	return true, err
}
