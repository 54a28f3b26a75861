package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

const (
	// maxScouts is how many files are read at once at most. What more of them
	// could read, the engine could not count as fast.
	maxScouts = 8
	// scoutPages is how many pages a scout may be ahead of the engine.
	scoutPages = 8
	// scoutLine is the length of the longest line that scouts read, in bytes:
	// each of them has memory for one.
	scoutLine = 1 << 20
)

// Scouts read files before the engine comes to them, several at once. They only
// guess what it will want to read: the engine takes the files in its own order,
// finds out itself what each of them is, and reads it itself where they were
// wrong or have given up. So they change how long it takes, and never what is
// counted.
type scouts struct {
	ctx      context.Context //nolint:containedctx // it ends when they are dismissed
	cancel   context.CancelFunc
	running  sync.WaitGroup
	follower *follower // of which they use what does not change meanwhile
	roots    roots
	maxLine  int
	left     int // files that the engine has not come to

	mu      sync.Mutex
	todo    []watcher.Found // files that no scout has come to
	reports chan *report    // in the order of the files
}

// A report is what a scout finds out about a file, and what its lines say.
type report struct {
	name   watcher.File
	ctx    context.Context //nolint:containedctx // it ends when nobody wants the lines
	cancel context.CancelFunc

	opened   sync.WaitGroup // when it is done, what follows is known
	file     *os.File       // nil if it could not be opened
	size     int64
	modified time.Time
	offset   int64 // where the pages begin

	pages   chan *page    // closed behind the last one; then the next is known
	reached tailer.Cursor // how far the file was read
}

// inOrder calls read with one file after another, until ctx ends. Scouts read
// ahead of it, as many as there are processors.
func (f *follower) inOrder(ctx context.Context, roots roots, files []watcher.Found, maxLine int, read func(watcher.Found)) {
	f.scouts = f.explore(ctx, roots, files, maxLine, runtime.GOMAXPROCS(0))
	defer func() {
		f.scouts.dismiss()
		f.scouts = nil
	}()
	for _, found := range files {
		if ctx.Err() != nil {
			return
		}
		read(found)
	}
}

// explore sends n scouts ahead, to files that the engine will come to in this
// order. They are to be dismissed.
func (f *follower) explore(ctx context.Context, roots roots, files []watcher.Found, maxLine, n int) *scouts {
	ctx, cancel := context.WithCancel(ctx)
	n = min(n, maxScouts)
	s := &scouts{
		ctx: ctx, cancel: cancel, follower: f, roots: roots, maxLine: min(maxLine, scoutLine),
		left: len(files), todo: files, reports: make(chan *report, 2*n),
	}
	for range n {
		s.running.Go(s.scout)
	}
	return s
}

// dismiss ends the scouts and waits for them.
func (s *scouts) dismiss() {
	s.cancel()
	s.running.Wait()
	for len(s.reports) > 0 {
		(<-s.reports).drop()
	}
}

// scout looks at one file after another.
func (s *scouts) scout() {
	pages := make(chan *page, scoutPages)
	for range scoutPages {
		pages <- &page{home: pages}
	}
	by := newScribe(tailer.NewBulkReader(s.maxLine), <-pages)
	for r := s.next(); r != nil; r = s.next() {
		s.look(&by, r, pages)
	}
}

// next takes the next file; nil if there is none, or no more is wanted.
func (s *scouts) next() *report {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.todo) == 0 || s.ctx.Err() != nil {
		return nil
	}
	r := &report{name: s.todo[0].File, pages: make(chan *page, scoutPages)}
	r.ctx, r.cancel = context.WithCancel(s.ctx)
	r.opened.Add(1)
	select {
	case s.reports <- r:
		s.todo = s.todo[1:]
		return r
	case <-s.ctx.Done():
		return nil
	}
}

// look reads one file. What keeps a scout from it, the engine will meet itself.
func (s *scouts) look(by *scribe, r *report, free <-chan *page) {
	defer close(r.pages)
	err := s.open(r)
	r.opened.Done()
	if err != nil {
		return
	}
	b := &batcher{scribe: by, file: r.file, path: s.follower.digest(r.name), alive: func() {}, early: true}
	b.full = func(p *page) (*page, error) {
		r.pages <- p
		select {
		case p = <-free: // those that were not wanted come back too
			return p, r.ctx.Err()
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		}
	}
	r.reached, _ = b.read(r.ctx, tailer.Cursor{Offset: r.offset}, r.size)
}

// open opens a file and guesses from where it will be read.
func (s *scouts) open(r *report) error {
	root := s.roots[r.name.Root]
	if root == nil {
		return fs.ErrNotExist
	}
	file, err := tailer.Open(root, r.name.Rel)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	identity, err := tailer.Identify(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	r.file, r.size, r.modified = file, info.Size(), info.ModTime()
	if _, known, ok := s.follower.shared.find(identity); ok && known.mark.Offset <= r.size {
		r.offset = known.mark.Offset
	}
	return nil
}

// report returns what a scout found out about a file; nil if none was there.
// Files before it in the order are not asked for any more.
func (s *scouts) report(name watcher.File) *report {
	for s != nil && s.left > 0 {
		select {
		case r := <-s.reports:
			s.left--
			r.opened.Wait()
			if r.name == name {
				return r
			}
			r.drop()
		case <-s.ctx.Done():
			return nil
		}
	}
	return nil
}

// discard does without the pages that were not taken.
func (r *report) discard() {
	if r == nil {
		return
	}
	r.cancel()
	for p := range r.pages {
		p.giveBack()
	}
}

// drop does without all of it.
func (r *report) drop() {
	r.discard()
	if r.file != nil {
		_ = r.file.Close() // it was only read
	}
}

// fits reports whether the engine would read just that.
func (r *report) fits(at *foundFile) bool {
	return r != nil && r.offset == at.offset && r.size == at.size && r.modified.Equal(at.modified)
}

// accept counts what a scout has read of a file, if it fits.
func (f *follower) accept(r *report, at *foundFile) {
	if !r.fits(at) {
		return
	}
	for p := range r.pages {
		f.apply(at, p)
		p.giveBack()
	}
	at.reach(r.reached)
}
