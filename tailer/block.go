package tailer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// blockSize is the number of bytes in one read: large enough to make system calls
// cheap, small enough for the processor's cache.
const blockSize = 256 << 10

// keptLine is the maximum length of the beginning of a line that is kept while its rest
// is read, in bytes. A longer line is read again once its newline is found.
const keptLine = 1 << 20

// scan implements Lines with blocks. Lines that cross blocks are read once, up to a
// length that is cheap to hold. The bytes of a longer line are collected only once its
// newline is found, so that a line beyond the limit takes no more memory and other
// lines take exactly what they need.
func (r *Reader) scan(f io.ReaderAt, size int64, at Cursor, fn func(Line) error) (Cursor, error) {
	r.block, r.base = r.block[:0], 0
	defer r.releaseLong()
	for {
		line, ok, err := r.next(f, size, &at)
		if !ok {
			return at, err
		}
		if err := fn(line); err != nil {
			return Cursor{Offset: at.Offset, Scanned: at.Offset}, err
		}
		at = Cursor{Offset: line.End, Scanned: line.End}
	}
}

// next returns the line at the cursor, or false if it does not end before size, or its
// search takes too long. It advances at.Scanned.
func (r *Reader) next(f io.ReaderAt, size int64, at *Cursor) (Line, bool, error) {
	for searched := 0; at.Scanned < size && (searched < SearchLimit || at.Scanned-at.Offset <= r.maxLine); {
		b, err := r.window(f, size, *at)
		if len(b) == 0 {
			return Line{}, false, err
		}
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return r.collect(f, at, at.Scanned+int64(i))
		}
		searched += len(b)
		if at.Scanned += int64(len(b)); b[len(b)-1] == 0 && at.Scanned < size {
			at.Scanned = nextData(f, at.Scanned, size)
		}
	}
	return Line{}, false, nil
}

// window returns some bytes of f at at.Scanned, or none at the end of the file or at
// size. In the block they follow the kept beginning of their line, if any.
func (r *Reader) window(f io.ReaderAt, size int64, at Cursor) ([]byte, error) {
	off := at.Scanned
	if i := off - r.base; i >= 0 && i < int64(len(r.block)) {
		return r.block[i:], nil
	}
	kept := r.keep(at)
	more := int(min(max(r.step-int64(kept), r.step/2), size-off))
	if r.bulk && kept+more > cap(r.block) { // the block can hold all lines that are kept
		r.block = append(make([]byte, 0, keptLine+r.step/2), r.block[:kept]...)
	}
	r.block = slices.Grow(r.block[:kept], more)[:kept+more]
	got, err := f.ReadAt(r.block[kept:], off)
	r.block, r.base = r.block[:kept+got], off-int64(kept)
	if got > 0 || errors.Is(err, io.EOF) {
		return r.block[kept:], nil // an error will recur after these bytes
	}
	return nil, fmt.Errorf("read block: %w", err)
}

// keep moves the beginning of the line at the cursor, at the end of the block, to the
// start of the block, and returns its length. It keeps nothing of a line that is too
// long, or that began before the block.
func (r *Reader) keep(at Cursor) int {
	i := at.Offset - r.base
	if i < 0 || r.base+int64(len(r.block)) != at.Scanned || at.Scanned-at.Offset > min(keptLine, r.maxLine) {
		return 0
	}
	return copy(r.block, r.block[i:])
}

// collect returns the line at the cursor, whose newline is at end. It reads a line that
// began before the block again: most of it may have been scanned by an earlier call. If
// the file was overwritten since, the line ends at its current newline, or false is
// returned.
func (r *Reader) collect(f io.ReaderAt, at *Cursor, end int64) (Line, bool, error) {
	start := at.Offset
	if end-start > r.maxLine {
		return r.line(nil, start, end), true, nil
	}
	if i, n := start-r.base, end-r.base; i >= 0 {
		return r.line(r.block[i:n:n], start, end), true, nil
	}
	n := int(end - start)
	if cap(r.long) < n {
		r.long = make([]byte, n)
	}
	r.long = r.long[:n]
	if got, err := f.ReadAt(r.long, start); got < n {
		at.Scanned = at.Offset
		if errors.Is(err, io.EOF) {
			return Line{}, false, nil
		}
		return Line{}, false, fmt.Errorf("read long line: %w", err)
	}
	if i := bytes.IndexByte(r.long, '\n'); i >= 0 {
		return r.line(r.long[:i:i], start, start+int64(i)), true, nil
	}
	return r.line(r.long, start, end), true, nil
}

// releaseLong releases the memory of a very long line.
func (r *Reader) releaseLong() {
	if r.bulk {
		return
	}
	if cap(r.long) > blockSize {
		r.long = nil
	}
	if cap(r.block) > 2*blockSize {
		r.block = nil
	}
}
