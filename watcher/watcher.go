package watcher

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Defaults of [Options].
const (
	DefaultScanInterval = 30 * time.Second
	DefaultPollInterval = 200 * time.Millisecond
	DefaultMaxWatches   = 8192
)

// Options configure a Watcher. Every field except Roots has a default.
type Options struct {
	// Roots are absolute paths of directories. They need not exist. Symbolic links are
	// followed.
	Roots []string

	// Match selects files by base name. SkipDir excludes directories below a root. Both
	// must be safe for concurrent use. Nil selects all files and excludes no directory.
	Match   func(base string) bool
	SkipDir func(base string) bool

	// ScanInterval is the time between walks. It is extended up to tenfold if walks take
	// long. Without events, all files are checked in half of that time and recent ones in
	// a fifth, and more rarely if there are very many.
	ScanInterval time.Duration

	// PollInterval is the shortest time between checks of a hot file without events: one
	// that was written within the last 15 minutes. Directories in which new files are
	// likely are checked every ten PollIntervals, and roots are resolved every 25.
	PollInterval time.Duration

	// PollBudget is the share of a core that checks without events may use: the intervals
	// are extended so that their measured cost stays within it. Waking up for them uses
	// about as much again. For very many files the checks may use twice the budget rather
	// than check all files more rarely than every two ScanIntervals, and more once all
	// intervals are ten ScanIntervals.
	PollBudget float64

	// MaxWatches limits the watched directories. If the tree has more, it is polled. A
	// negative value always polls.
	MaxWatches int

	// MaxFileWatches limits the hot files that are watched one by one where directories
	// cannot be watched. Zero stands for a quarter of the descriptors that the process may
	// have on systems that need one for each file of a watched directory (macOS, BSD), but
	// at most MaxWatches, and for none on others. A negative value watches none.
	MaxFileWatches int

	// Expected returns base names of files that are expected to be written from now on,
	// for example because a program has opened them. It is called before checks of
	// directories, on the goroutine of [Watcher.Run]. Files that it returned once are hot
	// for the next 15 minutes. Names that do not exist yet are ignored: a new file is
	// found with its directory. Nil expects none.
	Expected func() []string

	// Logger receives messages for operators. Paths below a root are logged
	// at debug level only.
	Logger *slog.Logger

	// OnScan is called after every complete walk with its duration, on the goroutine of
	// [Watcher.Run]. It may be nil.
	OnScan func(took time.Duration)
}

// withDefaults returns the options with all defaults set.
func (o Options) withDefaults() Options {
	o.Roots = slices.Clone(o.Roots)
	for i, r := range o.Roots {
		o.Roots[i] = filepath.Clean(r)
	}
	if o.Match == nil {
		o.Match = func(string) bool { return true }
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
	if o.PollBudget <= 0 {
		o.PollBudget = DefaultPollBudget
	}
	if o.MaxWatches == 0 {
		o.MaxWatches = DefaultMaxWatches
	}
	if o.MaxFileWatches == 0 && !hasDirectoryEvents(runtime.GOOS) {
		o.MaxFileWatches = min(spareDescriptors(), o.MaxWatches)
	}
	if o.Expected == nil {
		o.Expected = func() []string { return nil }
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
	isRemote    func(dir string) bool
	updates     *accumulator
	pending     *pendingEvents
	rescan      chan struct{}
	stats       counters

	// The goroutine of Run owns the following fields.

	roots       roots
	notifier    *notifier         // nil while polling
	poller      *poller           // nil unless polling
	rewatch     bool              // the watches of notifier are unreliable
	retryAt     time.Time         // when to try events again
	dirCount    int               // in the last complete walk
	unreadable  map[File]struct{} // directories that the last walk could not read
	warnedRoots []bool            // by root: has unreadable directories
	warned      bool              // that events are unavailable
	lastWalk    time.Time         // end of the last walk
	durations   []time.Duration   // of the last three walks
	scanAt      time.Time
	checkAt     time.Time // of the roots
}

// New returns a watcher that does nothing before [Watcher.Run].
func New(o Options) *Watcher {
	o = o.withDefaults()
	return &Watcher{
		o:           o,
		newFSNotify: fsnotify.NewWatcher,
		isRemote:    isRemote,
		updates:     newAccumulator(),
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
	defer w.stopPolling()
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

// Wake returns a channel that receives a value when [Watcher.Take] has something to
// return. Several changes may result in one value.
func (w *Watcher) Wake() <-chan struct{} { return w.updates.wake }

// Take returns the changes since the last call.
func (w *Watcher) Take() Update { return w.updates.take() }

// Rescan requests a walk, in addition to one in progress. It does not wait for it.
func (w *Watcher) Rescan() { notify(w.rescan) }

// tick walks or checks what is due.
func (w *Watcher) tick(ctx context.Context) {
	now := time.Now()
	if !now.Before(w.checkAt) {
		w.checkAt = now.Add(rootCheckFactor * w.o.PollInterval)
		if !w.roots.same(findRoots(w.o.Roots)) {
			w.scanAt = now
		}
	}
	if !now.Before(w.scanAt) {
		w.scan(ctx)
	}
	if w.poller != nil {
		w.poller.checkDue(ctx)
		w.countPolling()
	}
}

// due returns when the next tick is due.
func (w *Watcher) due() time.Time {
	next := earlier(w.scanAt, w.checkAt)
	if w.poller != nil {
		next = earlier(next, w.poller.due())
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
