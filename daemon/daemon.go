package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Settings are what a daemon does, as the configuration has it.
type Settings struct {
	// Sources lists the trees to read. It is asked again now and then, since
	// patterns may stand for other directories by then.
	Sources func() []Source
	// Labeller makes labels of what lines say.
	Labeller Labeller
	// Ledger are the options of counting.
	Ledger ledger.Options

	// MaxSessions is how many live sessions are shown one by one.
	MaxSessions int

	MaxLine    int // length of the longest line that is read, in bytes
	MaxWatches int // number of directories to watch; past it they are polled
	Journal    int // bytes of journal that are worth a snapshot, however small one is

	Scan           time.Duration // between two walks of the trees
	Poll           time.Duration // between two walks where there are no events
	MessageTimeout time.Duration // for which a file must be unchanged before its open messages are counted
	Checkpoint     time.Duration // between two snapshots, unless the journal has become overlong
	Sync           time.Duration // between two syncs of the journal
	Retention      time.Duration // for which what a deleted file held is remembered
	ZeroWindow     time.Duration // for which a new series is exposed as 0; 0 is not at all
}

// A Source is a directory with transcripts in it, at any depth, and the labels
// that everything from there gets.
type Source struct {
	Path   string
	Labels map[string]string
}

// A Labeller makes labels of what lines say. It is used by one goroutine.
type Labeller interface {
	// Project names the project of a working directory; empty for none.
	Project(cwd string) string
	// Command is the label of a slash command.
	Command(name string) string
}

// Options are what a daemon needs besides its settings.
type Options struct {
	StateDir string
	// Load reads the configuration. It is called by New and by every reload.
	Load    func() (Settings, error)
	Logger  *slog.Logger
	Metrics *metrics.Daemon
	Now     func() time.Time // time.Now unless told otherwise
	// CaughtUp is called once, when everything has been read and before
	// anybody sees it. May be nil.
	CaughtUp func()
	// Alive is called by the goroutine that reads and counts, for as long as it
	// gets on: after every page, and every few seconds when there is nothing to
	// do. It must not wait for anything. May be nil.
	Alive func()
}

// A Daemon follows transcripts and counts what they say.
type Daemon struct {
	Options

	store       *checkpoint.Store
	counted     *shared
	settings    Settings
	ready       atomic.Bool
	progress    atomic.Pointer[metrics.Progress]
	files       atomic.Int64 // transcripts that are there
	behind      atomic.Int64 // bytes of them that were not read
	maxSessions atomic.Int64
	trees       atomic.Pointer[[]metrics.WatchedDir]
	unknown     *unknownNames
	reloads     chan chan error
	tick        time.Duration
}

// New takes possession of the state directory and restores what is in it. The
// daemon must be closed.
func New(o Options) (*Daemon, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alive == nil {
		o.Alive = func() {}
	}
	settings, err := o.Load()
	if err != nil {
		return nil, err
	}
	store, err := checkpoint.Open(o.StateDir)
	if err != nil {
		return nil, err
	}
	d := &Daemon{Options: o, store: store, settings: settings, unknown: &unknownNames{log: o.Logger}, reloads: make(chan chan error), tick: tick}
	d.progress.Store(&metrics.Progress{})
	if err := d.restore(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return d, nil
}

func (d *Daemon) restore() error {
	fresh := func() *state { return newState(d.settings.Ledger, d.Now().UnixMilli()) }
	s := fresh()
	report, err := d.store.Load(func(b []byte) error {
		c := codec.NewReader(b)
		if s.code(c); c.Done() != nil {
			s = fresh()
		}
		return c.Done()
	}, func(b []byte) error {
		one, err := decodeStep(b)
		if one != nil && err == nil {
			one.apply(s)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	for _, damage := range report.Damage {
		d.Logger.Error("State is damaged, counting anew what it held", "err", damage)
		d.Metrics.StateDamaged.Inc()
	}
	if report.Restored {
		d.Metrics.CheckpointSize.Set(float64(report.Snapshot))
		d.Metrics.CheckpointLastSuccess.Set(float64(report.Written.UnixMilli()) / 1000)
		d.Logger.Info("Restored state", "steps", report.Steps, "files", len(s.files.all))
	}
	(&configureStep{options: d.settings.Ledger}).apply(s)
	d.counted = &shared{state: s, now: d.Now, appended: make(chan struct{}, 1), size: report.Snapshot, grown: report.Journals}
	return nil
}

// Close lets go of the state directory, after Run has returned and when nobody
// looks at the counters any more.
func (d *Daemon) Close() error {
	d.ready.Store(false)
	return d.store.Close()
}

// Run follows the transcripts until ctx ends. Then it saves the state.
func (d *Daemon) Run(ctx context.Context) error {
	e := newEngine(d)
	defer e.stop()
	if err := e.catchUp(ctx); err != nil {
		return e.end(ctx, err)
	}
	if d.CaughtUp != nil {
		d.CaughtUp()
	}
	d.ready.Store(true)
	d.Metrics.Ready.Set(1)
	d.Logger.Info("Caught up, serving metrics", "files", e.files.Load())
	return e.end(ctx, e.loop(ctx))
}

// Fill makes s what a scrape exposes. Before the daemon has caught up it returns
// false and leaves s as it is. While the state cannot be written the counters are
// paused: s is what was counted before, since a crash would take back the rest.
func (d *Daemon) Fill(s *ledger.Snapshot) bool {
	if !d.ready.Load() {
		return false
	}
	d.counted.fill(s)
	return true
}

// Ready reports whether the daemon has caught up.
func (d *Daemon) Ready() bool { return d.ready.Load() }

// Progress tells how far the daemon is with catching up.
func (d *Daemon) Progress() metrics.Progress { return *d.progress.Load() }

// Summary tells in short what was counted.
func (d *Daemon) Summary() metrics.Summary {
	d.counted.mu.Lock()
	defer d.counted.mu.Unlock()
	s := metrics.Summary{Files: int(d.files.Load()), Backlog: d.behind.Load(), Sessions: d.counted.state.ledger.Sessions()}
	if last := d.counted.state.ledger.LastActivity(); last != 0 {
		s.LastActivity = time.UnixMilli(last)
	}
	return s
}

// Unknown lists what this process has found in transcripts that this version does not
// know, each name once and at most 100 of them.
func (d *Daemon) Unknown() []transcript.UnknownItem { return d.unknown.list() }

// MaxSessions is how many live sessions are shown one by one.
func (d *Daemon) MaxSessions() int { return int(d.maxSessions.Load()) }

// Trees lists the directories that are read.
func (d *Daemon) Trees() []metrics.WatchedDir {
	if trees := d.trees.Load(); trees != nil {
		return *trees
	}
	return nil
}

// Reload reads the configuration again and puts it in force as a whole, or
// returns the error and leaves the old one in force.
func (d *Daemon) Reload(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case d.reloads <- done:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
