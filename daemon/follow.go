package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A follower reads files into a state. It knows under which names the files
// are found now; that is never saved.
type follower struct {
	scribe
	shared  *shared
	scouts  *scouts // while many files are read in their order, else nil
	sources []source
	labels  Labeller
	now     func() time.Time
	settle  bool   // somebody looks at the counters
	whole   bool   // a file is read to its end at once, whoever waits meanwhile
	alive   func() // see Options.Alive
	unknown *unknownNames

	tellBacklog func(int64) // called with backlog when it has changed
	expected    int64       // how much of backlog was expected of the file whose turn it is

	cwd, project string // the last directory, and what its project is called

	awake   map[ledger.FileID]*foundFile // files that are not at rest
	failing map[watcher.File]struct{}    // files that could not be read when it was tried last
	calm    time.Time                    // nothing that waits has been quiet for longer than since then
	walks   int                          // how many of the trees were compared with what is known
	backlog int64                        // bytes on disk that were not read; changed by unread
	taken   int64                        // bytes that were read since the start
	written time.Time                    // when the file that was read last had been changed
}

// A source is a tree of transcripts and the labels that its lines get.
type source struct {
	path   string
	labels ledger.Source
}

// A foundFile is a file that is being read or that is not at rest: something
// in it waits for quiet, or its last line has no end. All others need no more
// than what is known of them.
type foundFile struct {
	id       ledger.FileID
	name     watcher.File
	here     bool // it is found under its name
	waits    bool // for quiet
	size     int64
	modified time.Time
	seen     time.Time // when it was looked at last and had changed
	walks    int       // follower.walks then
	searched int64     // how far behind the offset there is no newline
	offset   int64
}

// quietSince is when the file changed last. A time of modification in the
// future is no reason to wait for it.
func (f *foundFile) quietSince() time.Time {
	if f.modified.After(f.seen) {
		return f.seen
	}
	return f.modified
}

// reach notes how far the file was read. If not everything before that could be
// counted, it is searched again.
func (f *foundFile) reach(c tailer.Cursor) {
	if f.searched = f.offset; c.Offset == f.offset {
		f.searched = c.Searched
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func newFollower(s *shared, maxLine int, now func() time.Time) *follower {
	return &follower{
		shared: s, scribe: newScribe(tailer.NewReader(maxLine), new(page)), now: now, alive: func() {}, tellBacklog: func(int64) {},
		unknown: &unknownNames{log: slog.New(slog.DiscardHandler)},
		awake:   make(map[ledger.FileID]*foundFile),
		failing: make(map[watcher.File]struct{}),
	}
}

// follow reads what is new in a file. A file that is not there is no error:
// the next walk tells what became of it.
func (f *follower) follow(ctx context.Context, roots roots, name watcher.File) error {
	file, ahead, err := f.open(roots, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, tailer.ErrNotRegular):
		return nil
	case errors.Is(err, tailer.ErrExchanged):
		err = nil // whoever has the name now is found by the next event or walk
	case err == nil:
		err = errors.Join(f.read(ctx, file, name, ahead), file.Close())
	}
	return err
}

// open opens a file, or takes it as a scout has opened it.
func (f *follower) open(roots roots, name watcher.File) (*os.File, *report, error) {
	if r := f.scouts.report(name); r != nil && r.file != nil {
		return r.file, r, nil
	}
	file, err := roots.openFile(name)
	return file, nil, err
}

func (f *follower) read(ctx context.Context, file *os.File, name watcher.File, ahead *report) error {
	defer ahead.discard()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at file: %w", err)
	}
	at, err := f.recognise(file, info, name)
	if err != nil {
		return err
	}
	before := at.offset
	f.reached(info.Size() - at.size)
	if !at.modified.Equal(info.ModTime()) || at.size != info.Size() {
		at.seen, at.walks = f.now(), f.walks
	}
	at.size, at.modified = info.Size(), info.ModTime()
	f.accept(ahead, at)
	// What is left is read here: everything, unless a scout was there.
	cursor, err := f.batcher(file, name, at).read(ctx, tailer.Cursor{Offset: at.offset, Searched: at.searched}, at.size)
	at.reach(cursor)
	if at.offset > before {
		f.taken += at.offset - before
		f.written = at.modified
	}
	f.keep(at)
	return err
}

// keep remembers a file for as long as it is not at rest.
func (f *follower) keep(at *foundFile) {
	if at.waits = f.waits(at); !at.waits {
		delete(f.awake, at.id)
		return
	}
	f.awake[at.id] = at
	f.calm = earlier(f.calm, at.quietSince())
}

// waits reports whether something in a file waits for quiet.
func (f *follower) waits(at *foundFile) bool {
	return at.size > at.offset || f.shared.restless(at.id)
}

// rest takes an unterminated last line that is a complete object, once its
// file is quiet: nobody will finish it, or finishing it adds only the newline.
func (f *follower) rest(roots roots, name watcher.File) error {
	at := f.at(name)
	if at == nil || at.size <= at.offset {
		return nil
	}
	file, err := roots.openFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the next walk says so
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	if identity, err := tailer.Identify(file); err != nil || f.foundAs(identity) != at.id {
		return err
	}
	b, err := f.reader.Rest(file, tailer.Cursor{Offset: at.offset, Searched: at.searched})
	if err != nil || b == nil {
		return err
	}
	return f.batcher(file, name, at).tail(tailer.Line{Bytes: b, Start: at.offset, End: at.searched})
}

func (f *follower) foundAs(identity tailer.ID) ledger.FileID {
	id, _, ok := f.shared.find(identity)
	if !ok {
		return 0
	}
	return id
}
