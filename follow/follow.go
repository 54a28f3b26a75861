package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Options are what a Follower needs besides its configuration. Functions may be nil.
type Options struct {
	State   *state.State
	Log     *slog.Logger
	Now     func() time.Time
	Unknown *UnknownNames // collects the names of unknown formats
	// Alive is called while reading makes progress. It must not wait for anything.
	Alive func()
	// OnRead is called after something new was read in a file that was last modified
	// at the given time.
	OnRead func(modified time.Time)
	// OnBacklog is called with the number of unread bytes when it has changed.
	OnBacklog func(bytes int64)
}

// A Follower reads files into a state.
type Follower struct {
	state     *state.State
	log       *slog.Logger
	now       func() time.Time
	unknown   *UnknownNames
	alive     func()
	onRead    func(modified time.Time)
	onBacklog func(bytes int64)

	decoder    lineDecoder
	prefetcher *prefetcher // while many files are read in order, else nil
	sources    []source
	labels     Labeller
	maxLine    int
	live       bool // see GoLive
	whole      bool // a file is read to its end at once, see ReadAtRest

	cwd, project string // the last working directory, and its project

	active     map[ledger.FileID]*activeFile
	unreadable map[watcher.File]struct{} // files whose last reading failed
	quietSince time.Time                 // no active file has been quiet for longer
	walks      int                       // number of walks compared with the state
	backlog    int64                     // bytes on disk that were not read; changed by addBacklog
	expected   int64                     // the part of backlog expected of the file that is next
	taken      int64                     // bytes read since the start
	modified   time.Time                 // modification time of the file read last
}

// A source is a Source with its labels as the ledger has them.
type source struct {
	path   string
	labels ledger.SourceLabels
}

// An activeFile is a file that is being read or that waits for quiet, with a pending
// message or an unterminated last line.
type activeFile struct {
	id       ledger.FileID
	name     watcher.File
	here     bool // it is at its name
	waits    bool // for quiet
	size     int64
	modified time.Time
	seen     time.Time // when it had last changed when looked at
	walks    int       // Follower.walks then
	searched int64     // up to here there is no newline behind the offset
	offset   int64
}

// quietSince returns when the file last changed. A modification time in the future is
// replaced by the time when the change was seen.
func (a *activeFile) quietSince() time.Time {
	if a.modified.After(a.seen) {
		return a.seen
	}
	return a.modified
}

// reach records how far the file was searched. If the offset is not that of the cursor,
// not everything before it could be applied, so it is searched again.
func (a *activeFile) reach(c tailer.Cursor) {
	if a.searched = a.offset; c.Offset == a.offset {
		a.searched = c.Scanned
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// New returns a follower. Files in which something was pending when the state was saved
// are active.
func New(o Options, c Config) *Follower {
	if o.Alive == nil {
		o.Alive = func() {}
	}
	if o.OnRead == nil {
		o.OnRead = func(time.Time) {}
	}
	if o.OnBacklog == nil {
		o.OnBacklog = func(int64) {}
	}
	f := &Follower{
		state: o.State, log: o.Log, now: o.Now, unknown: o.Unknown,
		alive: o.Alive, onRead: o.OnRead, onBacklog: o.OnBacklog,
		decoder:    newLineDecoder(tailer.NewReader(c.MaxLine), new(batch)),
		active:     make(map[ledger.FileID]*activeFile),
		unreadable: make(map[watcher.File]struct{}),
	}
	for _, id := range o.State.AllPending() {
		f.active[id] = &activeFile{id: id, waits: true}
	}
	f.Configure(c)
	return f
}

// Configure puts another configuration in force. All files are found and opened again by
// the next walk.
func (f *Follower) Configure(c Config) {
	f.decoder.reader = tailer.NewReader(c.MaxLine)
	f.labels, f.maxLine, f.cwd, f.project = c.Labeller, c.MaxLine, "", ""
	f.sources = nil
	for _, one := range c.Sources {
		f.sources = append(f.sources, source{one.Path, ledger.NewSourceLabels(one.Labels)})
	}
	f.state.ForgetSightings()
	for id := range f.active {
		f.leave(id)
	}
	clear(f.unreadable)
}

// HasSources reports whether these are the sources of the configuration in force.
func (f *Follower) HasSources(sources []Source) bool {
	return slices.EqualFunc(f.sources, sources, func(s source, of Source) bool {
		return s.path == of.Path && s.labels == ledger.NewSourceLabels(of.Labels)
	})
}

// WatchOptions returns what a watcher needs to find the transcripts of the sources.
func (f *Follower) WatchOptions() watcher.Options {
	o := watcher.Options{Match: transcript.IsTranscript, SkipDir: transcript.SkipDir}
	for _, s := range f.sources {
		o.Roots = append(o.Roots, s.path)
	}
	return o
}

// GoLive ends catching up: from now on a message that another one has ended is counted
// at once.
func (f *Follower) GoLive() { f.live = true }

// Unreadable returns the number of files whose last reading failed.
func (f *Follower) Unreadable() int { return len(f.unreadable) }

// UnreadableBySource returns that number for each source.
func (f *Follower) UnreadableBySource() []int {
	counts := make([]int, len(f.sources))
	for name := range f.unreadable {
		counts[name.Root]++
	}
	return counts
}

// follow reads what is new in a file. A missing file is no error: the next walk finds
// out what happened to it.
func (f *Follower) follow(ctx context.Context, roots roots, name watcher.File) error {
	file, ahead, err := f.open(roots, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, tailer.ErrNotRegular):
		return nil
	case errors.Is(err, tailer.ErrReplaced):
		err = nil // the next event or walk finds the file that has the name now
	case err == nil:
		err = errors.Join(f.read(ctx, file, name, ahead), file.Close())
	}
	return err
}

// open opens a file, or takes the one that a prefetcher has opened.
func (f *Follower) open(roots roots, name watcher.File) (*os.File, *prefetch, error) {
	if p := f.prefetcher.take(name); p != nil && p.file != nil {
		return p.file, p, nil
	}
	file, err := roots.openFile(name)
	return file, nil, err
}

func (f *Follower) read(ctx context.Context, file *os.File, name watcher.File, ahead *prefetch) error {
	defer ahead.discard()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at file: %w", err)
	}
	a, err := f.identify(file, info, name)
	if err != nil {
		return err
	}
	before := a.offset
	f.reached(info.Size() - a.size)
	if !a.modified.Equal(info.ModTime()) || a.size != info.Size() {
		a.seen, a.walks = f.now(), f.walks
	}
	a.size, a.modified = info.Size(), info.ModTime()
	f.accept(ahead, a)
	// The rest is read here: everything, unless a prefetcher has read it.
	cursor, err := f.batchReader(file, name, a).read(ctx, tailer.Cursor{Offset: a.offset, Scanned: a.searched}, a.size)
	a.reach(cursor)
	if a.offset > before {
		f.taken += a.offset - before
		f.modified = a.modified
	}
	f.keep(a)
	return err
}

// keep remembers a file for as long as it waits for quiet.
func (f *Follower) keep(a *activeFile) {
	if a.waits = f.waits(a); !a.waits {
		delete(f.active, a.id)
		return
	}
	f.active[a.id] = a
	f.quietSince = earlier(f.quietSince, a.quietSince())
}

// waits reports whether something in a file waits for quiet.
func (f *Follower) waits(a *activeFile) bool {
	return a.size > a.offset || f.state.HasPending(a.id)
}
