package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// scrapeShare and minPause determine the pause between scrapes: a share of the time
	// since the write.
	scrapeShare = 20
	minPause    = 500 * time.Microsecond
	// minSpread is the range of the random pause before a line, at least.
	minSpread = 100 * time.Millisecond
)

// A kind is a kind of file to write a line to.
type kind struct {
	name string
	goal time.Duration
	next func(*tree) string
}

// kinds are in the order of the table. Hot files come first, while they are hot.
func kinds() []kind {
	return []kind{
		{"hot file", time.Second, func(t *tree) string { return t.files[rand.IntN(hotFiles)] }},                      //nolint:gosec // no secret
		{"new file beside a hot one", 2 * time.Second, func(t *tree) string { return t.newIn(rand.IntN(hotFiles)) }}, //nolint:gosec // no secret
		{"any other", 30 * time.Second, (*tree).other},
	}
}

// A result is what was measured.
type result struct {
	latencies [][]time.Duration // by kind, sorted
	idle      float64           // used CPU time, as a share of one core
	memory    float64           // resident bytes; 0 if unknown, as on macOS
}

// measure measures a daemon in an empty directory.
func measure(ctx context.Context, o options, dir string) (r result, err error) {
	t := newTree(filepath.Join(dir, "projects"), o)
	if err := t.write(time.Now()); err != nil {
		return r, err
	}
	if err := os.Mkdir(filepath.Join(dir, "state"), 0o700); err != nil {
		return r, err
	}
	d, err := start(ctx, o, dir, t.root)
	if err != nil {
		return r, err
	}
	defer d.stop()
	if n, err := d.sample(ctx, "claude_requests_total"); err != nil {
		return r, err
	} else if int(n) != t.written {
		return r, fmt.Errorf("ccwatchd is ready with %v requests, want %d", n, t.written)
	}
	if err := r.measureIdle(ctx, d, o.idle); err != nil {
		return r, fmt.Errorf("measure the idle daemon: %w", err)
	}
	for _, k := range kinds() {
		all, err := measureLatencies(ctx, d, t, k, o.rounds)
		if err != nil {
			return r, fmt.Errorf("%s: %w", k.name, err)
		}
		r.latencies = append(r.latencies, all)
	}
	return r, nil
}

// measureIdle measures after a rest, in which the daemon finishes what it has read. The
// CPU time has a resolution of 10 ms on Linux.
func (r *result) measureIdle(ctx context.Context, d *daemon, idle time.Duration) error {
	var cpu [2]float64
	var at [2]time.Time
	for i, pause := range []time.Duration{idle / 6, idle} {
		if err := rest(ctx, pause); err != nil {
			return err
		}
		var err error
		if cpu[i], err = d.sample(ctx, "process_cpu_seconds_total"); err != nil {
			return err
		}
		at[i] = time.Now()
	}
	r.idle = (cpu[1] - cpu[0]) / at[1].Sub(at[0]).Seconds()
	r.memory, _ = d.sample(ctx, "process_resident_memory_bytes")
	return nil
}

// measureLatencies writes a line in each round.
func measureLatencies(ctx context.Context, d *daemon, t *tree, k kind, rounds int) (all []time.Duration, err error) {
	spread := minSpread
	for range rounds {
		if err := rest(ctx, rand.N(spread)); err != nil { //nolint:gosec // no secret
			return nil, err
		}
		took, err := latency(ctx, d, t, k.next(t))
		if err != nil {
			return nil, err
		}
		all = append(all, took)
		spread = max(spread, took)
	}
	slices.Sort(all)
	return all, nil
}

// latency writes a line and returns the time until it is counted.
func latency(ctx context.Context, d *daemon, t *tree, file string) (time.Duration, error) {
	began := time.Now()
	if err := t.append(file, began); err != nil {
		return 0, err
	}
	for {
		n, err := d.sample(ctx, "claude_requests_total")
		took := time.Since(began)
		switch {
		case err != nil:
			return 0, err
		case int(n) == t.written:
			return took, nil
		case int(n) > t.written || took > patience:
			return 0, fmt.Errorf("%v requests counted after %v, want %d", n, took, t.written)
		}
		if err := rest(ctx, max(minPause, took/scrapeShare)); err != nil {
			return 0, err
		}
	}
}
