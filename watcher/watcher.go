package watcher

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Defaults of [Options].
const (
	DefaultScanInterval = 30 * time.Second
	DefaultPollInterval = time.Second
	DefaultMaxWatches   = 8192
)

// Options configure a Watcher. Every field except Roots has a default.
type Options struct {
	// Roots are absolute paths of directories. They need not exist. Symbolic links in
	// their paths are followed, as are links to directories directly below them.
	Roots []string

	// Bases are the leading parts of the Roots whose links are followed without the
	// check of package opendir. A missing or empty base means the whole root.
	Bases []string

	// Match selects files by base name. SkipDir excludes directories by their path below a
	// root. Both must be safe for concurrent use. Nil selects all files and excludes no
	// directory.
	Match   func(base string) bool
	SkipDir func(rel string) bool

	// Aside selects files by base name that are only counted: see [Update.Aside]. Nil
	// selects none.
	Aside func(base string) bool

	// ScanInterval is the time between walks. It is extended to ten times the duration
	// of a walk, or 4 ms for each file and directory, at most tenfold.
	ScanInterval time.Duration

	// PollInterval is the time between checks without events of the files and directories
	// that were written within the last 15 minutes. It is extended to ten times the
	// duration of a check of the same root. Roots are resolved every five PollIntervals,
	// even with events.
	PollInterval time.Duration

	// MaxWatches limits the watched directories. If the tree has more, it is polled. A
	// negative value always polls.
	MaxWatches int

	// Logger receives messages for operators. Paths below a root are logged
	// at debug level only.
	Logger *slog.Logger

	// OnScan is called after every complete walk with its duration, on the goroutine of
	// [Watcher.Run]. It may be nil.
	OnScan func(took time.Duration)

	expected int // number of files for which a walk allocates memory at its beginning
}

func (o Options) withDefaults() Options {
	o.Roots, o.Bases = slices.Clone(o.Roots), append(slices.Clone(o.Bases), make([]string, len(o.Roots))...)
	for i, r := range o.Roots {
		o.Roots[i] = filepath.Clean(r)
		o.Bases[i] = cmp.Or(o.Bases[i], o.Roots[i])
	}
	if o.Match == nil {
		o.Match = func(string) bool { return true }
	}
	if o.Aside == nil {
		o.Aside = func(string) bool { return false }
	}
	if o.SkipDir == nil {
		o.SkipDir = func(string) bool { return false }
	}
	if o.ScanInterval <= 0 {
		o.ScanInterval = DefaultScanInterval
	}
	if o.PollInterval <= 0 {
		o.PollInterval = DefaultPollInterval
	}
	if o.MaxWatches == 0 {
		o.MaxWatches = DefaultMaxWatches
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OnScan == nil {
		o.OnScan = func(time.Duration) {}
	}
	return o
}

// A Watcher accumulates changes until [Watcher.Take]. Its methods may be called
// concurrently.
type Watcher struct {
	o           Options
	newFSNotify func() (*fsnotify.Watcher, error)
	eventPause  time.Duration // between batches of events
	isRemote    func(dir string) bool
	updates     *accumulator
	pending     *pendingEvents
	rescan      chan struct{}
	stats       counters

	// The goroutine of Run owns the following fields.

	roots       roots
	notifier    *notifier         // nil while polling
	pollers     []*poller         // by source
	rewatch     bool              // the watches of notifier are unreliable
	retryAt     time.Time         // when to try events again
	dirCount    int               // in the last complete walk
	fileCount   int               // in the same walk
	unreadable  map[File]struct{} // directories that the last walk could not read
	skipped     skippedLinks      // in the last walk
	warnedRoots []bool            // by root: has unreadable directories
	warned      bool              // that events are unavailable
	lastWalk    time.Time         // end of the last walk
	durations   []time.Duration   // of the last three walks
	scanAt      time.Time
	rootsAt     time.Time // when to resolve the roots again
}

// New returns a watcher that does nothing before [Watcher.Run].
func New(o Options) *Watcher {
	o = o.withDefaults()
	updates := newAccumulator()
	pollers := make([]*poller, len(o.Roots))
	for i := range pollers {
		pollers[i] = newPoller(o, updates)
	}
	return &Watcher{
		o:           o,
		newFSNotify: fsnotify.NewWatcher,
		eventPause:  eventPause,
		isRemote:    isRemote,
		updates:     updates,
		pollers:     pollers,
		pending:     newPendingEvents(),
		rescan:      make(chan struct{}, 1),
		warnedRoots: make([]bool, len(o.Roots)),
	}
}

// Run watches until ctx ends, which is no error, and then releases all resources. It
// starts with a walk. It may be called once.
func (w *Watcher) Run(ctx context.Context) error {
	for _, r := range w.o.Roots {
		if !filepath.IsAbs(r) {
			return fmt.Errorf("watch %q: %w: not an absolute path", r, fs.ErrInvalid)
		}
	}
	defer w.closeNotifier()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			w.tick(ctx)
		case <-w.rescan:
			w.scan(ctx)
		case <-w.pending.ready:
			w.processEvents(ctx)
		}
		timer.Reset(time.Until(w.due()))
	}
}

// Wake returns a channel that receives a value when [Watcher.Take] has changes to
// return. Several changes may result in a single value.
func (w *Watcher) Wake() <-chan struct{} { return w.updates.wake }

// Take returns the changes since the last call.
func (w *Watcher) Take() Update { return w.updates.take() }

// Rescan requests a walk, in addition to a walk in progress. It does not wait for the
// walk.
func (w *Watcher) Rescan() { notify(w.rescan) }

// tick performs the walk or check that is due.
func (w *Watcher) tick(ctx context.Context) {
	now := time.Now()
	if !now.Before(w.rootsAt) {
		if !w.roots.same(w.roots.again(w.o)) {
			w.scanAt = now
		}
		w.rootsAt = now.Add(max(rootCheckFactor*w.o.PollInterval, restFactor*time.Since(now)))
	}
	if !now.Before(w.scanAt) {
		w.scan(ctx)
	}
	if w.notifier != nil {
		return
	}
	for _, p := range w.pollers {
		if p.checkIfDue(ctx); p.newLink {
			w.scanSoon()
		}
	}
}

// due returns when the next tick is due.
func (w *Watcher) due() time.Time {
	next := earlier(w.scanAt, w.rootsAt)
	if w.notifier == nil {
		for _, p := range w.pollers {
			next = earlier(next, p.due)
		}
	}
	return next
}

// notify sends a value unless the channel, of capacity 1, already holds one.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
