package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Settings are what the configuration says.
type Settings struct {
	// Sources lists the directories to read. It is called again after each walk, since
	// patterns may match other directories by then.
	Sources func() []follow.Source
	// Labeller makes labels of what lines say.
	Labeller follow.Labeller
	// Ledger are the options of counting.
	Ledger ledger.Options

	// MaxSessions is the number of live sessions that are shown one by one.
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

// following are the settings of the follower, with sources that were listed.
func (s *Settings) following(sources []follow.Source) follow.Config {
	return follow.Config{Sources: sources, Labeller: s.Labeller, MaxLine: s.MaxLine}
}

// Options are what a daemon needs besides its settings.
type Options struct {
	StateDir string
	// Load reads the configuration. It is called by New and by every reload.
	Load    func() (Settings, error)
	Logger  *slog.Logger
	Metrics *metrics.Daemon
	Now     func() time.Time // time.Now if nil
	// CaughtUp is called once, when everything has been read and before it is served.
	// May be nil.
	CaughtUp func()
	// Alive is called by the goroutine that reads and counts while it makes progress:
	// after every batch, and every few seconds when there is nothing to do. It must not
	// wait for anything. May be nil.
	Alive func()
}

// A Daemon follows transcripts and counts what they say.
type Daemon struct {
	load     func() (Settings, error)
	log      *slog.Logger
	metrics  *metrics.Daemon
	now      func() time.Time
	caughtUp func()
	alive    func()

	stateDir    string
	store       *checkpoint.Store
	state       *state.State
	settings    Settings
	ready       atomic.Bool
	progress    atomic.Pointer[metrics.Progress]
	files       atomic.Int64 // transcripts that exist
	backlog     atomic.Int64 // bytes of them that were not read
	maxSessions atomic.Int64
	trees       atomic.Pointer[[]metrics.WatchedDir]
	unknown     *follow.UnknownNames
	reloads     chan chan error
	tick        time.Duration
}

// New locks the state directory and restores the state in it. The daemon must be closed.
func New(o Options) (*Daemon, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.CaughtUp == nil {
		o.CaughtUp = func() {}
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
	d := &Daemon{
		load: o.Load, log: o.Logger, metrics: o.Metrics, now: o.Now, caughtUp: o.CaughtUp, alive: o.Alive,
		stateDir: o.StateDir, store: store, state: state.New(settings.Ledger, o.Now), settings: settings,
		unknown: follow.NewUnknownNames(o.Logger), reloads: make(chan chan error), tick: tick,
	}
	d.progress.Store(&metrics.Progress{})
	if err := d.restore(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return d, nil
}

func (d *Daemon) restore() error {
	report, err := d.store.Load(func(b []byte) error { return d.state.LoadSnapshot(b, d.settings.Ledger) }, d.state.Replay)
	if err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	for _, damage := range report.Damage {
		d.log.Error("State is damaged, counting anew what it held", "err", damage)
		d.metrics.StateDamaged.Inc()
	}
	if report.Restored {
		d.metrics.CheckpointSize.Set(float64(report.Snapshot))
		d.metrics.CheckpointLastSuccess.Set(float64(report.Written.UnixMilli()) / 1000)
		d.log.Info("Restored state", "steps", report.Steps, "files", d.state.FileCount())
	}
	d.state.Restored(report.Snapshot, report.Journals, d.settings.Ledger)
	return nil
}

// Close unlocks the state directory. It is called after Run has returned, when the
// counters are not served any more.
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
	d.caughtUp()
	d.ready.Store(true)
	d.metrics.Ready.Set(1)
	d.log.Info("Caught up, serving metrics", "files", d.files.Load())
	return e.end(ctx, e.loop(ctx))
}

// Fill makes s what a scrape exposes. Before the daemon has caught up it returns
// false and leaves s as it is. While the state cannot be written the counters are
// paused: s is what was counted before, since a crash would take back the rest.
func (d *Daemon) SnapshotInto(s *ledger.Snapshot) bool {
	if !d.ready.Load() {
		return false
	}
	d.state.SnapshotInto(s)
	return true
}

// Ready reports whether the daemon has caught up.
func (d *Daemon) Ready() bool { return d.ready.Load() }

// Progress returns how far the daemon is with catching up.
func (d *Daemon) Progress() metrics.Progress { return *d.progress.Load() }

// Summary returns a short summary of what was counted.
func (d *Daemon) Summary() metrics.Summary {
	sessions, last := d.state.Activity()
	return metrics.Summary{Files: int(d.files.Load()), Backlog: d.backlog.Load(), Sessions: sessions, LastActivity: last, Paused: d.state.PausedBy() != nil}
}

// Unknown lists the names of formats that this process has found in transcripts and that
// this version does not know, each once and at most 100.
func (d *Daemon) Unknown() []transcript.UnknownItem { return d.unknown.List() }

// MaxSessions is the number of live sessions that are shown one by one.
func (d *Daemon) MaxSessions() int { return int(d.maxSessions.Load()) }

// Trees lists the directories that are read.
func (d *Daemon) WatchedDirs() []metrics.WatchedDir {
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
