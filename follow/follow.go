package follow

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Options are the dependencies of a Follower. Functions may be nil.
type Options struct {
	State   *state.State
	Files   *FileTable // of the state
	Log     *slog.Logger
	Now     func() time.Time
	Unknown *UnknownNames // collects the names of unknown formats
	// Alive is called while reading makes progress. It must not block.
	Alive func()
	// OnRead is called after new lines were read, with the modification time of the
	// file.
	OnRead func(modified time.Time)
	// OnBacklog is called with the number of unread bytes when it changes.
	OnBacklog func(bytes int64)
	// OnForgotten is called with the number of keys that were forgotten since a source
	// had too many.
	OnForgotten func(keys int)
	// Relabel sets the project of each entry of a transcript instead of the Labeller.
	// Its parameters are the labels of the source, the path of the transcript below it,
	// and the label of the type that the description of a sub-agent states.
	Relabel func(source counters.SourceLabels, rel, agentType string, e *transcript.Entry)
}

// A Follower reads files into a state.
type Follower struct {
	state     *state.State
	files     *FileTable
	log       *slog.Logger
	now       func() time.Time
	unknown   *UnknownNames
	alive     func()
	onRead    func(modified time.Time)
	onBacklog func(bytes int64)
	forgotten func(keys int)
	relabel   func(source counters.SourceLabels, rel, agentType string, e *transcript.Entry)

	decoder    lineDecoder
	prefetcher *prefetcher // nil unless many files are being read in order
	accepted   *prefetch   // whose batches are being applied, or nil
	sources    []source
	labels     Labeller
	starts     *startSearch // nil until it is needed
	checkouts  checkouts
	maxLine    int
	live       bool // see GoLive
	atRest     bool // read a file to its end in one call, see ReadAtRest

	active     map[ledger.FileID]*activeFile
	again      map[ledger.FileID]struct{}   // see ReadAgain
	unreadable map[watcher.File]struct{}    // files whose last reading failed
	kept       map[watcher.File]*openedFile // see keepOpen
	quietSince time.Time                    // lower bound of the last changes of active files
	walks      int                          // number of walks that found all missing files
	backlog    int64                        // unread bytes on disk; changed by addBacklog
	expected   int64                        // the part of backlog that belongs to the next file
	readBytes  int64                        // bytes read since the start
	modified   time.Time                    // modification time of the last file read
}

// A source is a Source with its labels in the ledger's form.
type source struct {
	path, base string
	labels     counters.SourceLabels
}

// New returns a follower. Files with pending messages in the restored state are active.
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
	if o.OnForgotten == nil {
		o.OnForgotten = func(int) {}
	}
	f := &Follower{
		state: o.State, files: o.Files, log: o.Log, now: o.Now, unknown: o.Unknown,
		alive: o.Alive, onRead: o.OnRead, onBacklog: o.OnBacklog, forgotten: o.OnForgotten, relabel: o.Relabel,
		decoder:    newLineDecoder(tailer.NewReader(c.MaxLine), new(batch)),
		active:     make(map[ledger.FileID]*activeFile),
		unreadable: make(map[watcher.File]struct{}),
		kept:       make(map[watcher.File]*openedFile),
	}
	for _, id := range o.State.Ledger().AllPending() {
		f.active[id] = &activeFile{id: id, waits: true}
	}
	f.Configure(c)
	return f
}

// Configure changes the configuration. The next walk finds and opens all files again.
func (f *Follower) Configure(c Config) {
	f.CloseFiles()
	f.decoder.reader = tailer.NewReader(c.MaxLine)
	f.labels, f.maxLine = c.Labeller, c.MaxLine
	f.sources = nil
	for _, src := range c.Sources {
		f.sources = append(f.sources, source{src.Path, src.Base, counters.NewSourceLabels(src.Labels)})
	}
	f.files.clearSightings()
	for id := range f.active {
		f.forgetLocation(id)
	}
	clear(f.unreadable)
}

// HasSources reports whether the configuration has exactly these sources.
func (f *Follower) HasSources(sources []Source) bool {
	return slices.EqualFunc(f.sources, sources, func(s source, of Source) bool {
		return s.path == of.Path && s.base == of.Base && s.labels == counters.NewSourceLabels(of.Labels)
	})
}

// WatchOptions returns the options of a watcher that finds the transcripts of the
// sources.
func (f *Follower) WatchOptions() watcher.Options {
	o := watcher.Options{Match: transcript.IsTranscript, Aside: transcript.IsArchive, SkipDir: transcript.SkipDir}
	for _, s := range f.sources {
		o.Roots, o.Bases = append(o.Roots, s.path), append(o.Bases, s.base)
	}
	return o
}

// GoLive ends catching up: from now on final and superseded messages are counted
// immediately.
func (f *Follower) GoLive() { f.live = true }

// Unreadable returns the number of files whose last reading failed.
func (f *Follower) Unreadable() int { return len(f.unreadable) }

// UnreadableBySource returns the number of these files for each source.
func (f *Follower) UnreadableBySource() []int {
	counts := make([]int, len(f.sources))
	for name := range f.unreadable {
		counts[name.Root]++
	}
	return counts
}

// follow reads the new lines of a file. A missing file is no error: the next walk finds
// out whether it was moved or deleted.
func (f *Follower) follow(ctx context.Context, roots roots, name watcher.File) error {
	file, ahead, err := f.open(roots, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, tailer.ErrNotRegular):
		return nil
	case errors.Is(err, tailer.ErrReplaced):
		err = nil // the next event or walk finds the new file
	case err == nil:
		if err = f.read(ctx, file, roots, name, ahead); err != nil {
			return errors.Join(err, file.Close())
		}
		err = f.keepOpen(name, file)
	}
	return err
}

func (f *Follower) read(ctx context.Context, file *openedFile, roots roots, name watcher.File, ahead *prefetch) error {
	defer ahead.discard()
	info := file.info
	a, err := f.identify(file, roots, name)
	if err != nil {
		return err
	}
	before := a.offset
	f.replaceExpected(info.Size() - a.size)
	if !a.modified.Equal(info.ModTime()) || a.size != info.Size() {
		a.changed, a.walks = f.lastChange(info.ModTime()), f.walks
		f.setTorn(a, 0)
	}
	a.size, a.modified, a.owner = info.Size(), info.ModTime(), opendir.OwnerOf(info)
	if isArchive(name) {
		return f.readArchive(ctx, file, name, a)
	}
	f.accept(ahead, a)
	// Read the lines that were not prefetched.
	cursor, err := f.batchReader(file.File, name, a).read(ctx, tailer.Cursor{Offset: a.offset, Scanned: a.searched}, a.size)
	a.advance(cursor)
	if a.offset > before {
		f.readBytes += a.offset - before
		f.modified = a.modified
	}
	f.keep(a)
	return err
}
