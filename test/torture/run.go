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

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// Options configure a run.
type Options struct {
	// Seed determines all random choices.
	Seed uint64
	// Duration is the time for steps, without the comparison at the end.
	Duration time.Duration
	// Rate is the number of steps per second, at least one. Most steps write something.
	Rate int
	// Kills is how often the daemon is ended per minute, mostly with SIGKILL.
	Kills float64
	// Polling runs the daemon without file events. Otherwise it has them, too few or none
	// at random.
	Polling bool
	// Binary is the ccwatchd to run. If empty, it is built from the module of the
	// working directory, with the go command.
	Binary string
	// Dir is the directory for everything, which must be empty or not exist. If empty,
	// it is a temporary directory, removed at the end.
	Dir string
	// Progress gets a line every few seconds.
	Progress io.Writer
}

// A run is one torture from beginning to end.
type run struct {
	Options
	rng          *rand.Rand
	tree         *tree
	abuser       *abuser
	sandbox      sandbox
	checker      *checker
	daemon       *process           // nil if it does not run
	truth        exposition.Samples // of the generated files, set in the end
	scheduled    []action           // sorted by step
	step         int
	count        map[string]int
	slowest      time.Duration // until a new session was counted
	started      time.Time     // of the steps
	lastProgress time.Time
}

// An action is scheduled for a later step.
type action struct {
	step int
	do   func(context.Context) error
}

// Run tortures a daemon and returns a summary, with the first failure of the daemon in
// [Summary.Failure]. An error is no verdict on the daemon. When ctx ends, Run cleans up
// and returns the cause.
func Run(ctx context.Context, o Options) (*Summary, error) {
	dir, remove, err := workDir(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	rng := rand.New(rand.NewPCG(o.Seed, 0)) //nolint:gosec // must be reproducible
	tree := newTree(dir, rng)
	r := &run{
		Options: o, rng: rng, tree: tree, abuser: newAbuser(dir, o.Seed, o.Duration, tree), checker: newChecker(stop), count: make(map[string]int),
		sandbox: sandbox{dir: dir, logFile: log}, started: time.Now(), lastProgress: time.Now(),
	}
	err = r.all(ctx)
	err = errors.Join(err, r.end(syscall.SIGKILL), r.abuser.unlock(), log.Close(), remove())
	switch {
	case r.checker.failure != nil:
		return r.summary(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return r.summary(), nil
}

// all runs from the first start of the daemon to its last end.
func (r *run) all(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.play(ctx); err != nil {
		return err
	}
	if err := r.verify(ctx); err != nil {
		return err
	}
	return r.end(syscall.SIGTERM)
}

// workDir makes the working directory, and returns a function that removes it.
func workDir(dir string) (string, func() error, error) {
	if dir == "" {
		dir, err := os.MkdirTemp("", "torture-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", nil, fmt.Errorf("%s: the directory is not empty", dir)
	}
	return dir, func() error { return nil }, os.MkdirAll(dir, 0o755) //nolint:gosec // synthetic
}

// play takes steps until the time is over.
func (r *run) play(ctx context.Context) error {
	r.started = time.Now()
	clock := time.NewTicker(time.Second / time.Duration(r.Rate))
	defer clock.Stop()
	for time.Since(r.started) < r.Duration && ctx.Err() == nil {
		if err := r.nextStep(ctx); err != nil {
			return err
		}
		r.progress()
		<-clock.C
	}
	return nil
}

func (r *run) nextStep(ctx context.Context) error {
	r.step++
	if err := r.runDue(ctx, r.step); err != nil {
		return err
	}
	if err := r.abuse(); err != nil {
		return err
	}
	const faultEvery = 100 // steps
	switch {
	case r.rng.Float64() < r.Kills/60/float64(r.Rate):
		return r.kill(ctx)
	case r.rng.IntN(faultEvery) == 0:
		return r.injectFault(ctx)
	default:
		return r.tree.writeChunk()
	}
}

// schedule runs do at a random step, at most that many steps from now.
func (r *run) schedule(most int, do func(context.Context) error) {
	a := action{r.step + 1 + r.rng.IntN(most), do}
	i, _ := slices.BinarySearchFunc(r.scheduled, a.step+1, func(b action, step int) int { return cmp.Compare(b.step, step) })
	r.scheduled = slices.Insert(r.scheduled, i, a)
}

// runDue runs the actions scheduled up to a step.
func (r *run) runDue(ctx context.Context, step int) error {
	for len(r.scheduled) > 0 && r.scheduled[0].step <= step {
		a := r.scheduled[0]
		r.scheduled = r.scheduled[1:]
		if err := a.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) runScheduled(ctx context.Context) error { return r.runDue(ctx, math.MaxInt) }
