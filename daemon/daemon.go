package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// Settings are the part of the configuration that can be reloaded.
type Settings struct {
	// Sources lists the directories to read. It is called after each scan, since patterns
	// may match different directories by then.
	Sources func() []follow.Source
	// Labeller returns the values of labels for lines.
	Labeller follow.Labeller
	// Ledger has the options of the counters.
	Ledger ledger.Options

	// MaxSessions is the maximum number of live sessions with individual gauges.
	MaxSessions int
	// AcceptLimits is whether reports of usage limits are accepted; nil if not configured.
	AcceptLimits *bool
	// Zone is the default time zone of days; nil means local time.
	Zone *time.Location

	MaxLine    int // bytes of the longest line that is read
	MaxWatches int // directories to watch; the rest are polled
	Journal    int // minimal bytes of journal before a snapshot is written

	Scan           time.Duration // interval of scans
	Poll           time.Duration // interval of checks of recently written files without events
	MessageTimeout time.Duration // a file's pending messages are counted after this time without a change
	Checkpoint     time.Duration // minimal interval of snapshots, unless the journal has become very long
	Sync           time.Duration // interval of syncs of the journal
	Retention      time.Duration // how long the keys of a deleted file are kept
	ZeroWindow     time.Duration // how long a new series is exposed as 0; may be 0
}

// followerConfig returns the settings of the follower for some sources.
func (s *Settings) followerConfig(sources []follow.Source) follow.Config {
	return follow.Config{Sources: sources, Labeller: s.Labeller, MaxLine: s.MaxLine}
}

// Options are the options that cannot be reloaded.
type Options struct {
	StateDir string
	// Load reads the configuration, in New and in every reload.
	Load    func() (Settings, error)
	Logger  *slog.Logger
	Metrics *metrics.Daemon
	Now     func() time.Time // time.Now if nil
	// CaughtUp is called once, after everything has been read and before the counters are
	// exposed. May be nil.
	CaughtUp func()
	// Alive is called by the engine while it makes progress: after every batch, and at
	// least every 10 seconds while it is idle. It must not block. May be nil.
	Alive func()
	// ReadAgain makes the first catch-up read all present files from the beginning. Lines
	// and bytes are counted again, usage is not. Messages counted without a price get
	// their cost.
	ReadAgain bool
}

// A Daemon follows transcripts and counts their events.
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
	known       *follow.FileTable // part of the state
	settings    atomic.Pointer[Settings]
	ready       atomic.Bool
	progress    atomic.Pointer[status.Progress]
	files       atomic.Int64 // existing transcripts
	backlog     atomic.Int64 // their unread bytes
	ownFiles    atomic.Bool
	sources     atomic.Pointer[[]follow.Source]
	watchedDirs atomic.Pointer[[]status.WatchedDir]
	running     atomic.Pointer[[]metrics.RunningSessions]
	unknown     *follow.UnknownNames
	reloads     chan chan error
	tick        time.Duration
	readAgain   bool
}

// New locks the state directory and restores the state. The daemon must be closed.
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
		stateDir: o.StateDir, store: store, state: state.New(settings.Ledger, o.Now),
		unknown: follow.NewUnknownNames(o.Logger), reloads: make(chan chan error), tick: tick,
		readAgain: o.ReadAgain,
	}
	d.warnIfShared()
	d.known = follow.NewFileTable(d.state)
	d.progress.Store(&status.Progress{})
	d.settings.Store(&settings)
	if err := d.restore(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return d, nil
}

func (d *Daemon) restore() error {
	report, err := d.store.Load(d.state.LoadSnapshot, d.state.Replay)
	if err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	if n := len(report.Damage); n > 0 {
		d.log.Error("State file is damaged, recounting from the remaining transcripts", "err", report.Damage[0], "files", n)
		d.metrics.StateDamaged.Add(float64(n))
	}
	if err := d.state.Restored(report.Snapshot, report.Journals); err != nil {
		return fmt.Errorf("restore state: %w: remove %s (sessions are counted again if their transcripts still exist)", err, d.stateDir)
	}
	d.known.Restored()
	if report.Restored {
		d.metrics.CheckpointSize.Set(float64(report.Snapshot))
		d.metrics.CheckpointLastSuccess.Set(float64(report.Written.UnixMilli()) / 1000)
		d.log.Info("Restored state", "frames", report.Frames, "files", d.known.Len())
	}
	return nil
}

// Close unlocks the state directory. It must be called after Run has returned; the
// counters are not exposed afterwards.
func (d *Daemon) Close() error {
	d.ready.Store(false)
	return d.store.Close()
}

// Run follows the transcripts until ctx ends, and then saves the state.
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
	if d.files.Load() == 0 {
		d.log.Info("Found no sessions, waiting for the first one")
	}
	return e.end(ctx, e.loop(ctx))
}

// LoadEndpoints returns the record saved by SaveEndpoints, or nil.
func (d *Daemon) LoadEndpoints() ([]byte, error) { return d.store.LoadRecord(checkpoint.Endpoints) }

// SaveEndpoints saves the progress of the remote-write endpoints beside the state, see
// [checkpoint.Record].
func (d *Daemon) SaveEndpoints(b []byte) error { return d.store.SaveRecord(checkpoint.Endpoints, b) }

// LoadLimits returns the record saved by SaveLimits, or nil.
func (d *Daemon) LoadLimits() ([]byte, error) { return d.store.LoadRecord(checkpoint.Limits) }

// SaveLimits saves the usage limits beside the state, see [checkpoint.Record].
func (d *Daemon) SaveLimits(b []byte) error { return d.store.SaveRecord(checkpoint.Limits, b) }

// SetAddress records in the state directory where this process serves, until Close.
func (d *Daemon) SetAddress(a checkpoint.Address) error { return d.store.SetAddress(a) }

// Reload reads the configuration again and applies it as a whole. On error it keeps the
// current configuration.
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
