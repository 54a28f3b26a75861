package daemon

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// lineEnd is how many bytes of the last line tell whether it is still there.
const lineEnd = 255

// A batcher gathers the lines of one file into steps.
type batcher struct {
	*follower
	ctx   context.Context //nolint:containedctx // it lives for one call
	file  *os.File
	name  watcher.File
	at    *foundFile
	start int64 // where the batch begins
	page  transcript.Page
	lines int
	last  []byte // the end of the last line
}

// line takes one line.
func (b *batcher) line(l tailer.Line) error {
	if b.lines == 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		b.start = l.Start
	}
	b.lines++
	b.keep(l.Bytes)
	if l.TooLong {
		b.page.Problems = append(b.page.Problems, transcript.TooLong)
	} else {
		before := len(b.page.Entries)
		b.parser.Parse(l.Bytes, l.Start == 0, &b.page)
		b.label(l.Start, b.page.Entries[before:])
	}
	if b.lines >= batchEntries || l.End-b.start >= batchBytes {
		return b.flush(l.End)
	}
	return nil
}

// keep remembers how a line ended, its newline with it. Of a line that is too
// long that is nothing.
func (b *batcher) keep(line []byte) {
	b.last = b.last[:0]
	if line != nil {
		b.last = append(b.last, line[max(0, len(line)-lineEnd):]...)
		b.last = append(b.last, '\n')
	}
}

// label completes the entries of the line that begins at offset start.
func (b *batcher) label(start int64, entries []transcript.Entry) {
	for i := range entries {
		e := &entries[i]
		e.Identify(func() transcript.Key { return b.place(start, i) })
		if e.Placed = e.CWD != ""; e.Placed {
			e.Project = b.labels.Project(e.CWD)
		}
		if e.Prompt != nil && e.Prompt.Name != "" {
			e.Command = b.labels.Command(e.Prompt.Name)
		}
	}
}

// place is the key of what has none: where it stands. It is the same when the
// file is read again.
func (b *batcher) place(start int64, i int) transcript.Key {
	path := b.digest(b.name)
	return transcript.KeyOf("place", string(path[:]), strconv.FormatInt(start, 10), strconv.Itoa(i))
}

// flush applies what was gathered; the file has been read up to the offset to.
func (b *batcher) flush(to int64) error {
	if to <= b.at.offset {
		return nil
	}
	mark, err := tailer.NewMark(b.file, to)
	if err != nil {
		return fmt.Errorf("mark what was read: %w", err)
	}
	if len(b.last) > 0 {
		mark = mark.EndingWith(b.last)
	}
	batch := ledger.Batch{
		File: b.at.id, Now: b.now().UnixMilli(),
		Bytes:   uint64(to - b.at.offset), //nolint:gosec // positive
		Entries: b.page.Entries, Problems: b.page.Problems,
	}
	b.shared.do(&readStep{batch: batch, mark: mark, modified: b.at.modified.UnixNano(), settle: b.settle})
	b.backlog -= to - b.at.offset
	b.at.offset = to
	b.page.Reset()
	b.lines = 0
	return nil
}

// searchBytes is how much is searched before it is asked whether to go on. A
// line without an end would otherwise be searched to the end of its file, which
// may be sparse and as large as a file can be.
const searchBytes = 256 << 20

// lines passes the new lines of a file to take, until ctx ends.
func (f *follower) lines(ctx context.Context, file *os.File, at *foundFile, take func(tailer.Line) error) (tailer.Cursor, error) {
	cursor := tailer.Cursor{Offset: at.offset, Searched: at.searched}
	for size := at.size; ; {
		limit := min(size, max(cursor.Offset, cursor.Searched)+searchBytes)
		var err error
		cursor, err = f.reader.Lines(file, limit, cursor, take)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || limit == size || cursor.Searched < limit {
			return cursor, err
		}
	}
}
