package tailer

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	headLen = 1 << 10 // bytes at the beginning of a file that tell it from others
	lastLen = 256     // bytes before the offset that tell whether it was rewritten
)

// sums is the polynomial of every Print. A Mark is stored, so it must never change.
var sums = crc32.MakeTable(crc32.Castagnoli)

// A Print is a checksum of some bytes and their number. The zero Print is that of no bytes and fits everything. Of each file there are two for
// good, so it is small: of files that have as many bytes as another had, one in four thousand million passes for that.
type Checksum struct {
	Sum uint32
	Len uint32
}

// A Mark says how far a file was read and what it looked like there. It is comparable and fit to be stored. The zero Mark is that of a file
// never read.
type Fingerprint struct {
	Offset int64    // behind the last byte that was read
	Head   Checksum // of the first bytes, at most 1 KiB, and only of such as were read: no later growth changes them
	Last   Checksum // of the bytes that end at Offset, at most 256; if empty, they are not checked
}

// NewMark marks a file as read up to offset. A file shorter than that is an error that wraps [io.ErrUnexpectedEOF].
func NewFingerprint(r io.ReaderAt, offset int64) (Fingerprint, error) {
	return Fingerprint{}.Extend(r, offset, nil)
}

// Extend returns the mark of m's file read on, up to offset. The bytes before the offset are taken from b, which ends there, as they were when
// they were read: a file that was rewritten between the reading and Extend is then told by Check, and not taken for the file that was read. If
// b is empty they are read now. What m has of the beginning is not read again once it is complete.
func (m Fingerprint) Extend(r io.ReaderAt, offset int64, b []byte) (Fingerprint, error) {
	var err error
	if m.Head.Len < headLen {
		if m.Head, err = printOf(r, 0, min(offset, headLen)); err != nil {
			return Fingerprint{}, fmt.Errorf("mark the beginning: %w", err)
		}
	}
	m.Offset = offset
	if len(b) > 0 {
		b = b[max(0, len(b)-lastLen):]
		m.Last = Checksum{Sum: crc32.Checksum(b, sums), Len: uint32(len(b))} //nolint:gosec // at most lastLen
		return m, nil
	}
	n := min(offset, lastLen)
	if m.Last, err = printOf(r, offset-n, n); err != nil {
		return Fingerprint{}, fmt.Errorf("mark the end: %w", err)
	}
	return m, nil
}

// A Verdict says whether reading may go on where it stopped.
type Verdict int

// The verdicts of [Mark.Check].
const (
	Unchanged Verdict = iota // everything that was read is still there: go on at the offset
	Truncated                // the file is shorter than what was read of it: begin again
	Replaced                 // it has other bytes than those that were read: begin again
)

// String returns the verdict in lower case, as for a log or a label.
func (v Verdict) String() string {
	switch v {
	case Unchanged:
		return "unchanged"
	case Truncated:
		return "truncated"
	case Replaced:
		return "replaced"
	}
	return fmt.Sprintf("verdict(%d)", int(v))
}

// Check compares a file that is size bytes long now with its mark. The verdict is of use only without an error, which is one of reading.
func (m Fingerprint) Check(r io.ReaderAt, size int64) (Verdict, error) {
	if size < m.Offset {
		return Truncated, nil
	}
	if !m.plausible() {
		return Replaced, nil
	}
	for _, part := range []struct {
		at   int64
		want Checksum
	}{
		{0, m.Head},
		{m.Offset - int64(m.Last.Len), m.Last},
	} {
		got, err := printOf(r, part.at, int64(part.want.Len))
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return Truncated, nil // since its size was taken
		case err != nil:
			return Unchanged, fmt.Errorf("check what was read: %w", err)
		case got != part.want:
			return Replaced, nil
		}
	}
	return Unchanged, nil
}

// plausible says whether NewMark could have made m. One that was stored may come back damaged, and its lengths decide what is allocated.
func (m Fingerprint) plausible() bool {
	return m.Offset >= 0 &&
		int64(m.Head.Len) <= min(m.Offset, headLen) &&
		int64(m.Last.Len) <= min(m.Offset, lastLen)
}

// printOf returns the print of the n bytes at off, or io.ErrUnexpectedEOF if there are fewer.
func printOf(r io.ReaderAt, off, n int64) (Checksum, error) {
	if n <= 0 {
		return Checksum{}, nil
	}
	b := make([]byte, n)
	got, err := r.ReadAt(b, off)
	switch {
	case got == len(b):
		return Checksum{Sum: crc32.Checksum(b, sums), Len: uint32(n)}, nil //nolint:gosec // at most headLen
	case errors.Is(err, io.EOF):
		return Checksum{}, io.ErrUnexpectedEOF
	}
	return Checksum{}, err
}
