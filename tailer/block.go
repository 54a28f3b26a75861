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

// scan implements Lines with blocks. The bytes of a line are collected only once its
// newline is found, so a line that is too long takes no memory and others take exactly
// what they need.
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

// next returns the line at the cursor, or false if it does not end before size. It
// advances at.Scanned.
func (r *Reader) next(f io.ReaderAt, size int64, at *Cursor) (Line, bool, error) {
	for at.Scanned < size {
		b, err := r.window(f, size, at.Scanned)
		if len(b) == 0 {
			return Line{}, false, err
		}
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return r.collect(f, at, at.Scanned+int64(i))
		}
		if at.Scanned += int64(len(b)); b[len(b)-1] == 0 && at.Scanned < size {
			at.Scanned = nextData(f, at.Scanned, size)
		}
	}
	return Line{}, false, nil
}

// window returns some bytes of f at off, or none at the end of the file or at size.
func (r *Reader) window(f io.ReaderAt, size, off int64) ([]byte, error) {
	if i := off - r.base; i >= 0 && i < int64(len(r.block)) {
		return r.block[i:], nil
	}
	want := int(min(r.step, size-off))
	r.block = slices.Grow(r.block[:0], want)[:want]
	got, err := f.ReadAt(r.block, off)
	r.block, r.base = r.block[:got], off
	if got > 0 || errors.Is(err, io.EOF) {
		return r.block, nil // an error will recur after these bytes
	}
	return nil, fmt.Errorf("read block: %w", err)
}

// collect returns the line at the cursor, whose newline is at end. Most of it may have
// been scanned by an earlier call. If the file was overwritten since, the line ends at
// its current newline, or false is returned.
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
	if !r.bulk && cap(r.long) > blockSize {
		r.long = nil
	}
}
