package torture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Options say how to torture.
type Options struct {
	// Seed is what everything that is left to chance depends on.
	Seed uint64
	// Duration is how long it takes, without what follows at the end.
	Duration time.Duration
	// Rate is how many steps there are in a second, at least one. Most of them write something.
	Rate int
	// Kills is how often the daemon is ended in a minute, most times with -9.
	Kills float64
	// Binary is the ccwatchd to run. Without one it is built, with the go command, from
	// the module of the working directory.
	Binary string
	// Dir is where everything is kept, which must be empty or not there yet.
	// Without one it is a temporary directory that is removed at the end.
	Dir string
	// Progress is told how far it is, every few seconds.
	Progress io.Writer
}

// A run is one torture, from its beginning to its end.
type run struct {
	Options
	dice    *rand.Rand
	tree    *tree
	place   place
	judge   *judge
	daemon  *process // nil while none runs
	later   []later  // in the order of the steps
	step    int
	count   map[string]int
	slowest time.Duration // that a new session took to be shown
	began   time.Time
	told    time.Time
}

// A later is what is to be done at a step that is yet to come.
type later struct {
	step int
	do   func(context.Context) error
}

// Run tortures a daemon and returns what was done, and the first thing that
// was wrong with the daemon in [Summary.Verdict]. An error means that nothing is
// known of the daemon. When ctx ends it cleans up and returns the cause.
func Run(ctx context.Context, o Options) (*Summary, error) {
	dir, remove, err := workplace(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	dice := rand.New(rand.NewPCG(o.Seed, 0)) //nolint:gosec // it must repeat itself
	r := &run{
		Options: o, dice: dice, tree: newTree(dir, dice), judge: newJudge(stop), count: make(map[string]int),
		place: place{dir: dir, keep: log}, began: time.Now(), told: time.Now(),
	}
	err = r.all(ctx)
	err = errors.Join(err, r.end(syscall.SIGKILL), log.Close(), remove())
	switch {
	case r.judge.verdict != nil:
		return r.summary(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return r.summary(), nil
}

// all is everything from the first start of the daemon to its last end.
func (r *run) all(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.play(ctx); err != nil {
		return err
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	return r.end(syscall.SIGTERM)
}

// workplace makes the directory for everything, and returns what removes it.
func workplace(dir string) (string, func() error, error) {
	if dir == "" {
		dir, err := os.MkdirTemp("", "torture-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", nil, fmt.Errorf("%s: there is something in it already", dir)
	}
	return dir, func() error { return nil }, os.MkdirAll(dir, 0o755) //nolint:gosec // all of it is made up
}

// play takes steps until the time is over.
func (r *run) play(ctx context.Context) error {
	r.began = time.Now()
	clock := time.NewTicker(time.Second / time.Duration(r.Rate))
	defer clock.Stop()
	for time.Since(r.began) < r.Duration && ctx.Err() == nil {
		if err := r.next(ctx); err != nil {
			return err
		}
		r.progress()
		<-clock.C
	}
	return nil
}

// next takes one step.
func (r *run) next(ctx context.Context) error {
	r.step++
	if err := r.due(ctx, r.step); err != nil {
		return err
	}
	const faultEvery = 100 // steps
	switch {
	case r.dice.Float64() < r.Kills/60/float64(r.Rate):
		return r.die(ctx)
	case r.dice.IntN(faultEvery) == 0:
		return r.fault(ctx)
	default:
		return r.tree.piece()
	}
}

// in has something done some steps from now, up to most.
func (r *run) in(most int, do func(context.Context) error) {
	at := later{r.step + 1 + r.dice.IntN(most), do}
	i, _ := slices.BinarySearchFunc(r.later, at.step+1, func(l later, step int) int { return cmp.Compare(l.step, step) })
	r.later = slices.Insert(r.later, i, at)
}

// due does what was to be done up to a step.
func (r *run) due(ctx context.Context, step int) error {
	for len(r.later) > 0 && r.later[0].step <= step {
		next := r.later[0]
		r.later = r.later[1:]
		if err := next.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// overtake does at once what was to be done later.
func (r *run) overtake(ctx context.Context) error { return r.due(ctx, math.MaxInt) }
