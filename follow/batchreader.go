package follow

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

// A lineDecoder decodes lines into a batch. One goroutine reuses it for many files.
type lineDecoder struct {
	reader *tailer.Reader
	parser *transcript.Parser
	batch  *batch // being filled; empty between two files
}

func newLineDecoder(reader *tailer.Reader, b *batch) lineDecoder {
	return lineDecoder{reader: reader, parser: transcript.NewParser(), batch: b}
}

// A batchReader reads the lines of one file in batches.
type batchReader struct {
	*lineDecoder
	ctx         context.Context    //nolint:containedctx // of the current call of read
	file        *os.File           // nil for the content of an archive
	path        transcript.Key     // digest of the path
	fingerprint tailer.Fingerprint // up to the last flushed batch
	// take consumes a non-empty batch and returns an empty batch.
	take  func(*batch) (*batch, error)
	alive func() // see Options.Alive
	// prefetching stops before the first line that is too long for prefetching.
	prefetching bool
	// atRest does not abandon the search for the end of a line.
	atRest bool
}

var errLong = errors.New("line too long to prefetch")

// read reads the lines from a cursor to size, until ctx ends. take gets the lines
// before an error, too.
func (b *batchReader) read(ctx context.Context, from tailer.Cursor, size int64) (tailer.Cursor, error) {
	b.ctx = ctx
	cursor, err := b.lines(from, size)
	if b.batch != nil && b.batch.lines > 0 {
		err = errors.Join(err, b.flush())
	}
	return cursor, err
}

// lines reads lines until the search for the end of a line is abandoned: the next walk
// continues it.
func (b *batchReader) lines(cursor tailer.Cursor, size int64) (tailer.Cursor, error) {
	for {
		b.alive()
		before := cursor
		var err error
		cursor, err = b.reader.Lines(b.file, size, cursor, b.line)
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil || !b.atRest || cursor == before || cursor.Scanned >= size {
			return cursor, err
		}
	}
}

func (b *batchReader) line(l tailer.Line) error {
	if b.batch.lines == 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	before := len(b.batch.Entries)
	switch {
	case !l.TooLong:
		b.parser.Parse(l.Bytes, l.Start == 0, &b.batch.Buffer)
	case b.prefetching:
		b.batch.reset() // so that batches do not depend on prefetching
		return errLong
	default:
		b.batch.Problems = append(b.batch.Problems, transcript.TooLong)
	}
	b.assignKeys(l, before)
	if b.batch.full() {
		return b.flush()
	}
	return nil
}

// tail decodes an unterminated last line if it is a complete object.
func (b *batchReader) tail(l tailer.Line) error {
	if !b.parser.ParseTail(l.Bytes, l.Start == 0, &b.batch.Buffer) {
		return nil
	}
	b.assignKeys(l, 0)
	return b.flush()
}

// assignKeys adds a line to the batch and assigns keys to its entries, which start at
// index before.
func (b *batchReader) assignKeys(l tailer.Line, before int) {
	b.batch.add(l)
	entries := b.batch.Entries[before:]
	for i := range entries {
		entries[i].AssignKeys(func() transcript.Key { return b.positionKey(l.Start, i) })
	}
}

// positionKey returns the key of an entry without an id: its position, which does not
// change when the file is read again.
func (b *batchReader) positionKey(start int64, i int) transcript.Key {
	return transcript.KeyOf("line", string(b.path[:]), strconv.FormatInt(start, 10), strconv.Itoa(i))
}

func (b *batchReader) flush() error {
	full := b.batch
	if b.file != nil {
		fingerprint, err := b.fingerprint.Extend(b.file, full.end, full.last)
		if err != nil {
			full.reset()
			return fmt.Errorf("extend fingerprint: %w", err)
		}
		b.fingerprint = fingerprint
	}
	full.fingerprint = b.fingerprint
	var err error
	b.batch, err = b.take(full)
	return err
}

// batchReader returns a reader that applies the batches of a file immediately.
func (f *Follower) batchReader(file *os.File, name watcher.File, a *activeFile) *batchReader {
	take := func(b *batch) (*batch, error) {
		f.apply(a, b)
		b.reset()
		return b, nil
	}
	return &batchReader{
		lineDecoder: &f.decoder, file: file, path: f.digest(name), fingerprint: a.fingerprint,
		atRest: f.atRest, alive: f.alive, take: take,
	}
}

// apply counts a batch that continues a file.
func (f *Follower) apply(a *activeFile, b *batch) {
	f.alive()
	f.label(a, b)
	for i := range b.Entries {
		f.unknown.add(b.Entries[i].Unknown)
	}
	f.state.Change(func(l *ledger.Ledger, now int64) {
		l.AddBatch(&ledger.Batch{
			File: a.id, Now: now,
			Modified: a.modified.UnixMilli(),
			Bytes:    uint64(b.end - a.offset),
			Entries:  b.Entries, Problems: b.Problems,
		})
		if f.live {
			l.Settle()
		}
		f.files.setRead(a.id, b.fingerprint, a.modified.UnixNano())
	})
	f.LimitKeys()
	f.addBacklog(a.offset - b.end)
	a.offset, a.fingerprint = b.end, b.fingerprint
}
