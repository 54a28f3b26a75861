package watcher

import (
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

// Options say what to watch. The zero value of every field but Roots is a default.
type Options struct {
	// Roots are absolute paths of directories. They need not exist; one that is a symbolic link is followed.
	Roots []string

	// Match tells files of interest by their base name, SkipDir directories below a root that are never entered. They must be safe for
	// concurrent use. Nil stands for all files and no directory.
	Match   func(base string) bool
	SkipDir func(base string) bool

	// ScanInterval is the time between two walks while there are events. It grows, up to ten times that, where a walk takes longer than 20
	// milliseconds.
	ScanInterval time.Duration

	// PollInterval is the time between two walks while there are none. It grows, up to ScanInterval, where walks take long. It is also the
	// time between two looks at whether the roots are still there, which are five times as far apart while there are events.
	PollInterval time.Duration

	// MaxWatches bounds the directories watched. With more of them than that the tree is polled; negative always polls.
	MaxWatches int

	// Logger gets what an operator should know. Paths below a root are never logged.
	Logger *slog.Logger

	// OnScan, if set, is called after every complete walk with the time it took, on the goroutine of [Watcher.Run].
	OnScan func(took time.Duration)
}

// withDefaults returns the options with nothing left to be asked about.
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

// A Watcher gathers what may have changed until it is taken. Its methods may be called from any goroutine.
type Watcher struct {
	o      Options
	open   func() (*fsnotify.Watcher, error)
	gather *gathering
	hints  *hints
	rescan chan struct{}
	stats  counters

	// What follows belongs to the goroutine of Run.

	roots   roots
	source  *source         // nil while polling
	renew   bool            // the watches of source are not to be trusted
	retry   time.Time       // no events are tried before
	dirs    int             // met by the last complete walk
	ailing  []bool          // by root: something in it could not be read
	warned  bool            // that there are no events
	ended   time.Time       // of the last walk
	took    []time.Duration // by the last three
	scanAt  time.Time
	checkAt time.Time // of the roots
}

// New returns a watcher that does nothing before [Watcher.Run].
func New(o Options) *Watcher {
	o = o.withDefaults()
	return &Watcher{
		o:      o,
		open:   fsnotify.NewWatcher,
		gather: newGathering(),
		hints:  newHints(),
		rescan: make(chan struct{}, 1),
		ailing: make([]bool, len(o.Roots)),
	}
}

// Run watches until ctx ends, which is no error, and then holds nothing any more. The first walk comes at once. It may be called once.
func (w *Watcher) Run(ctx context.Context) error {
	for _, r := range w.o.Roots {
		if !filepath.IsAbs(r) {
			return fmt.Errorf("watch %q: %w: not an absolute path", r, fs.ErrInvalid)
		}
	}
	defer w.closeSource()
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
		case <-w.hints.some:
			w.follow(ctx)
		}
		timer.Reset(time.Until(earlier(w.scanAt, w.checkAt)))
	}
}

// Wake returns a channel that gets a value when there is something to [Watcher.Take]. Several reasons may make one value.
func (w *Watcher) Wake() <-chan struct{} { return w.gather.wake }

// Take returns what was learnt since it was last called.
func (w *Watcher) Take() Update { return w.gather.take() }

// Rescan asks for a walk now, and one more if one is under way. It does not wait for it.
func (w *Watcher) Rescan() { signal(w.rescan) }

// tick does what is due.
func (w *Watcher) tick(ctx context.Context) {
	now := time.Now()
	if !now.Before(w.scanAt) || !w.roots.same(findRoots(w.o.Roots)) {
		w.scan(ctx)
	}
	w.checkAt = now.Add(w.o.PollInterval)
	if w.source != nil {
		w.checkAt = now.Add(eventsRoots * w.o.PollInterval)
	}
}

// signal leaves a value in a channel of capacity 1, where one is enough.
func signal(c chan<- struct{}) {
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
