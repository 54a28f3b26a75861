package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A scribe puts the lines of files on pages. Its memory serves one file after
// another; one goroutine uses it.
type scribe struct {
	reader *tailer.Reader
	parser *transcript.Parser
	page   *page // to write on, empty between two files
}

func newScribe(reader *tailer.Reader, on *page) scribe {
	return scribe{reader: reader, parser: transcript.NewParser(), page: on}
}

// A batcher gathers the lines of one file into pages.
type batcher struct {
	*scribe
	ctx  context.Context //nolint:containedctx // of a call of read
	file *os.File
	path transcript.Key // digest of the name of the file
	mark tailer.Mark    // up to the last page that was full
	// full takes a page with something on it, and returns an empty one.
	full  func(*page) (*page, error)
	alive func() // see Options.Alive
	// early: the file is read before its turn, and no further than to a line
	// that is too long for that.
	early bool
	// whole: the file is read to its end, wherever the end of a line may be.
	whole bool
}

// errLong says that a line is too long to be read before its turn.
var errLong = errors.New("line too long to be read early")

// searchBytes is how much is searched before it is asked whether to go on. Of a
// line that is too long already it is all for now, and the next walk looks further
// for its end: its file may be sparse, and as large as a file can be, and all other
// files would have to wait.
const searchBytes = 16 << 20

// read puts the lines from a cursor to size on pages, until ctx ends. What was
// read before an error counts.
func (b *batcher) read(ctx context.Context, from tailer.Cursor, size int64) (tailer.Cursor, error) {
	b.ctx = ctx
	cursor, err := b.lines(from, size)
	if b.page != nil && b.page.lines > 0 {
		err = errors.Join(err, b.turn())
	}
	return cursor, err
}

func (b *batcher) lines(cursor tailer.Cursor, size int64) (tailer.Cursor, error) {
	for {
		b.alive()
		limit := min(size, max(cursor.Offset, cursor.Searched)+searchBytes)
		var err error
		cursor, err = b.reader.Lines(b.file, limit, cursor, b.line)
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil || limit == size || cursor.Searched < limit {
			return cursor, err
		}
		if !b.whole && cursor.Searched-cursor.Offset > b.reader.MaxLine() {
			return cursor, nil
		}
	}
}

// line takes one line.
func (b *batcher) line(l tailer.Line) error {
	if b.page.lines == 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	before := len(b.page.Entries)
	switch {
	case !l.TooLong:
		b.parser.Parse(l.Bytes, l.Start == 0, &b.page.Page)
	case b.early:
		b.page.reset() // so that pages are the same whoever reads
		return errLong
	default:
		b.page.Problems = append(b.page.Problems, transcript.TooLong)
	}
	b.took(l, before)
	if b.page.full() {
		return b.turn()
	}
	return nil
}

// tail takes a last line that has no newline, if it is a complete object.
func (b *batcher) tail(l tailer.Line) error {
	if !b.parser.ParseTail(l.Bytes, l.Start == 0, &b.page.Page) {
		return nil
	}
	b.took(l, 0)
	return b.turn()
}

// took completes what a line has put on the page, behind so many entries.
func (b *batcher) took(l tailer.Line, before int) {
	b.page.took(l)
	said := b.page.Entries[before:]
	for i := range said {
		said[i].Identify(func() transcript.Key { return b.place(l.Start, i) })
	}
}

// place is the key of what has none: where it stands. It is the same when the
// file is read again.
func (b *batcher) place(start int64, i int) transcript.Key {
	return transcript.KeyOf("place", string(b.path[:]), strconv.FormatInt(start, 10), strconv.Itoa(i))
}

// turn passes the page on.
func (b *batcher) turn() error {
	p := b.page
	mark, err := b.mark.Extend(b.file, p.end, p.last)
	if err != nil {
		p.reset()
		return fmt.Errorf("mark what was read: %w", err)
	}
	b.mark, p.mark = mark, mark
	b.page, err = b.full(p)
	return err
}

// batcher returns one that applies what it reads of a file at once.
func (f *follower) batcher(file *os.File, name watcher.File, at *foundFile) *batcher {
	return &batcher{scribe: &f.scribe, file: file, path: f.digest(name), whole: f.whole, alive: f.alive, full: func(p *page) (*page, error) {
		f.apply(at, p)
		p.reset()
		return p, nil
	}}
}

// apply counts what is on a page. The file has been read to its beginning.
func (f *follower) apply(at *foundFile, p *page) {
	f.alive()
	f.label(p.Entries)
	for i := range p.Entries {
		f.unknown.note(p.Entries[i].Unknown)
	}
	batch := ledger.Batch{
		File: at.id, Now: f.now().UnixMilli(),
		Bytes:   uint64(p.end - at.offset), //nolint:gosec // positive
		Entries: p.Entries, Problems: p.Problems,
	}
	f.shared.do(&readStep{batch: batch, mark: p.mark, modified: at.modified.UnixNano(), settle: f.settle})
	f.unread(at.offset - p.end)
	at.offset = p.end
}

// label gives entries the labels that the configuration has for them.
func (f *follower) label(entries []transcript.Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Placed = e.CWD != ""; e.Placed {
			e.Project = f.projectOf(e.CWD)
		}
		if e.Prompt != nil && e.Prompt.IsCommand() {
			e.Command = f.labels.Command(e.Prompt.Name)
		}
	}
}

// projectOf names the project of a directory, which mostly is that of the line before.
func (f *follower) projectOf(cwd string) string {
	if f.cwd != cwd {
		f.cwd, f.project = cwd, f.labels.Project(cwd)
	}
	return f.project
}
