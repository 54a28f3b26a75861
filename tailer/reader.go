package tailer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// DefaultMaxLine is the default maximum length of a line in bytes.
const DefaultMaxLine = 64 << 20

// SearchLimit is the number of bytes that [Reader.Lines] searches for the end of a line
// that is too long, so that a huge file does not delay other files. Holes of sparse
// files do not count.
const SearchLimit = 16 << 20

// A Line is one line of a file.
type Line struct {
	Bytes   []byte // without the newline; valid only during the call
	Start   int64  // offset of the first byte
	End     int64  // offset after the newline
	TooLong bool   // longer than the limit; Bytes is nil
}

// A Cursor is a position in a file where reading continues. Cursor{Offset: n} is valid,
// as is the zero Cursor, for a file that was never read.
type Cursor struct {
	// Offset is the position after the newline of the last line delivered. It has to be
	// stored.
	Offset int64
	// Scanned is the end of the part after Offset that contains no newline. It is an
	// optimization: a line of many megabytes may be written in a thousand appends, and
	// must not be scanned a thousand times.
	Scanned int64
}

// within returns c with Scanned reset if it is impossible for a file of that size.
func (c Cursor) within(size int64) Cursor {
	if c.Scanned < c.Offset || c.Scanned > size {
		c.Scanned = c.Offset
	}
	return c
}

// A Reader reads lines. It reuses its buffers for any number of files: use one for each
// goroutine.
type Reader struct {
	maxLine int64
	step    int64  // bytes in one read
	block   []byte // the last bytes read, after the beginning of their line
	base    int64  // offset of block in the file
	long    []byte // a line that was not kept in block
	bulk    bool   // for reading whole files, see NewBulkReader

	text  []byte // of the lines read through nxadm/tail
	lines []Line // these lines

	reopenIndex    int  // of the path in reopenPaths that opens the same file
	reopenVerified bool // reopenIndex is known
}

// NewReader returns a Reader for lines of up to maxLine bytes without the newline. If
// maxLine is not positive, it is [DefaultMaxLine].
func NewReader(maxLine int) *Reader {
	if maxLine <= 0 {
		maxLine = DefaultMaxLine
	}
	return &Reader{maxLine: int64(maxLine), step: blockSize}
}

// NewBulkReader returns a Reader for catching up: it always reads blocks, and keeps the
// memory of its longest line.
func NewBulkReader(maxLine int) *Reader {
	r := NewReader(maxLine)
	r.block, r.bulk = make([]byte, 0, blockSize), true
	return r
}

// Lines passes every line of f that starts at or after from.Offset and whose newline is
// before size to fn, in order, and returns the cursor for the next call. from.Offset
// must be the start of a line, and size the current size of f.
//
// If fn fails, Lines returns its error unchanged and a cursor before the refused line.
// All other errors are read errors; lines passed before an error count. A file shorter
// than size is no error: it is read to its end. See SearchLimit for lines that are too
// long.
//
// Afterwards the file position of f is undefined.
func (r *Reader) Lines(f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error) {
	from = from.within(size)
	if from.Scanned >= size {
		return from, nil
	}
	// A rest that was scanned before must not be read from its start again.
	if !r.bulk && size-from.Offset <= LiveGrowth && from.Scanned == from.Offset {
		if lines, to, ok := r.readLive(f, size, from); ok {
			return deliver(lines, to, fn)
		}
	}
	return r.scan(f, size, from, fn)
}

// Unterminated returns the unterminated rest of f after the last line, as far as
// [Reader.Lines] has scanned it: the bytes between the two offsets of the returned
// cursor. It is nil if the rest is empty, too long for a line, or has changed. The
// caller owns it.
func (r *Reader) Unterminated(f *os.File, at Cursor) ([]byte, error) {
	n := at.Scanned - at.Offset
	if n <= 0 || n > r.maxLine {
		return nil, nil
	}
	rest := make([]byte, n)
	got, err := f.ReadAt(rest, at.Offset)
	if got < len(rest) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read unterminated line: %w", err)
	}
	if got < len(rest) || bytes.IndexByte(rest, '\n') >= 0 {
		return nil, nil
	}
	return rest, nil
}

// line returns the line b, which starts at start and whose newline is at end. For a
// line that is too long, it returns only the offsets.
func (r *Reader) line(b []byte, start, end int64) Line {
	if end-start > r.maxLine {
		return Line{Start: start, End: end + 1, TooLong: true}
	}
	return Line{Bytes: b, Start: start, End: end + 1}
}
