package tailer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// DefaultMaxLine is the length in bytes up to which a line is read unless told otherwise.
const DefaultMaxLine = 64 << 20

// A Line is one line of a file.
type Line struct {
	Bytes   []byte // without its "\n"; valid only during the call it was passed to
	Start   int64  // offset of its first byte
	End     int64  // offset behind its "\n"
	TooLong bool   // it is longer than the limit, and Bytes is nil
}

// A Cursor is the place in a file where reading goes on. Cursor{Offset: n} is a valid one, and so is the zero Cursor, for a file never read.
type Cursor struct {
	// Offset is behind the "\n" of the last line that was taken. It is what to store.
	Offset int64
	// Searched is how far the unterminated rest behind Offset was found to hold no "\n". It saves work and is never needed: a writer may take
	// a thousand appends for one line of many megabytes, and nobody should search these a thousand times.
	Scanned int64
}

// within returns c without what cannot be true of a file of that size.
func (c Cursor) within(size int64) Cursor {
	if c.Scanned < c.Offset || c.Scanned > size {
		c.Scanned = c.Offset
	}
	return c
}

// A Reader reads lines. It owns buffers that serve any number of files, one after another: use one for each goroutine.
type Reader struct {
	maxLine int64
	step    int64  // bytes read at once
	block   []byte // what was read last
	base    int64  // the offset of block in the file
	long    []byte // a line that does not lie in one block
	bulk    bool   // it is made for reading whole files, not what is written right now
}

// NewReader returns a Reader for lines of up to maxLine bytes, their "\n" not counted; [DefaultMaxLine] if that is not positive.
func NewReader(maxLine int) *Reader {
	if maxLine <= 0 {
		maxLine = DefaultMaxLine
	}
	return &Reader{maxLine: int64(maxLine), step: blockSize}
}

// NewBulkReader returns a Reader for catching up: it reads by blocks whatever the growth, and keeps the memory of its longest line for as long
// as it lives.
func NewBulkReader(maxLine int) *Reader {
	r := NewReader(maxLine)
	r.block, r.long, r.bulk = make([]byte, 0, blockSize), make([]byte, 0, blockSize), true
	return r
}

// MaxLine returns the length in bytes up to which lines are read.
func (r *Reader) MaxLine() int64 { return r.maxLine }

// Lines passes every line of f that begins at or behind from.Offset, and whose "\n" is before size, to fn, in order. It returns the cursor
// to go on with. from.Offset must be the beginning of a line, and size is what f has now.
//
// If fn fails, its error is returned as it is, and the cursor stands before the line that was refused. Other errors are those of reading; what
// was passed before them counts. A file that turns out to be shorter than size is no error: it is read as far as it goes.
//
// What f's own position is afterwards is undefined.
func (r *Reader) Lines(f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error) {
	from = from.within(size)
	if from.Scanned >= size {
		return from, nil
	}
	// A rest that was searched before must not be read from its beginning again.
	if !r.bulk && size-from.Offset <= LiveGrowth && from.Scanned == from.Offset {
		if lines, to, ok := r.drain(f, size, from); ok {
			return deliver(lines, to, fn)
		}
	}
	return r.scan(f, size, from, fn)
}

// Rest returns the unterminated rest of f behind the last line, as far as [Reader.Lines] has seen it: the bytes between the two offsets of the
// cursor that it returned. It is nil if there is none, if it is longer than a line may be, or if it is no longer there. The caller owns it.
func (r *Reader) Unterminated(f *os.File, at Cursor) ([]byte, error) {
	n := at.Scanned - at.Offset
	if n <= 0 || n > r.maxLine {
		return nil, nil
	}
	rest := make([]byte, n)
	got, err := f.ReadAt(rest, at.Offset)
	if got < len(rest) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the rest: %w", err)
	}
	if got < len(rest) || bytes.IndexByte(rest, '\n') >= 0 {
		return nil, nil
	}
	return rest, nil
}

// line returns the line b, which begins at start and whose "\n" is at end, or only its offsets if it is too long.
func (r *Reader) line(b []byte, start, end int64) Line {
	if end-start > r.maxLine {
		return Line{Start: start, End: end + 1, TooLong: true}
	}
	return Line{Bytes: b, Start: start, End: end + 1}
}
