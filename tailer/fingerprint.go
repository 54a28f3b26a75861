package tailer

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	headLen = 1 << 10 // bytes at the start of a file, which distinguish it from other files
	lastLen = 256     // bytes before the offset, which reveal that the file was rewritten
)

// castagnoli is the polynomial of every Checksum. It must never change, since
// fingerprints are stored.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Checksum is the CRC-32C of some bytes and their number. The zero Checksum is the
// checksum of no bytes and matches everything. A Fingerprint of every file has two
// checksums, so they are small: other bytes of the same length match with a probability
// of 2^-32.
type Checksum struct {
	Sum uint32
	Len uint32
}

// A Fingerprint records how far a file was read, and checksums of the bytes before. It
// is comparable and can be stored. The zero Fingerprint belongs to a file that was
// never read.
type Fingerprint struct {
	Offset int64    // after the last byte that was read
	Head   Checksum // of the first bytes before Offset, at most 1 KiB
	Last   Checksum // of the bytes that end at Offset, at most 256; not checked if empty
}

// NewFingerprint returns the fingerprint of a file read up to offset. If the file is
// shorter, the error wraps [io.ErrUnexpectedEOF].
func NewFingerprint(r io.ReaderAt, offset int64) (Fingerprint, error) {
	return Fingerprint{}.Extend(r, offset, nil)
}

// Extend returns the fingerprint of the same file read up to a later offset. b contains
// the bytes before offset as they were read, so that Check detects a file that was
// rewritten between the read and Extend. If b is empty, they are read now. A complete
// Head is not read again.
func (p Fingerprint) Extend(r io.ReaderAt, offset int64, b []byte) (Fingerprint, error) {
	var err error
	if p.Head.Len < headLen {
		if p.Head, err = checksumOf(r, 0, min(offset, headLen)); err != nil {
			return Fingerprint{}, fmt.Errorf("fingerprint the start: %w", err)
		}
	}
	p.Offset = offset
	if len(b) > 0 {
		b = b[max(0, len(b)-lastLen):]
		p.Last = Checksum{Sum: crc32.Checksum(b, castagnoli), Len: uint32(len(b))}
		return p, nil
	}
	n := min(offset, lastLen)
	if p.Last, err = checksumOf(r, offset-n, n); err != nil {
		return Fingerprint{}, fmt.Errorf("fingerprint the end: %w", err)
	}
	return p, nil
}

// A Verdict is the result of comparing a file with its fingerprint.
type Verdict int

// The verdicts of [Fingerprint.Check].
const (
	Unchanged Verdict = iota // the bytes read before are unchanged: continue at the offset
	Truncated                // the file is shorter than the offset: read it from the beginning
	Replaced                 // the bytes read before have changed: read it from the beginning
)

// String returns the verdict in lower case.
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

// Check compares a file of the given size with its fingerprint. The verdict is
// meaningless if reading fails with an error.
func (p Fingerprint) Check(r io.ReaderAt, size int64) (Verdict, error) {
	if size < p.Offset {
		return Truncated, nil
	}
	if !p.plausible() {
		return Replaced, nil
	}
	for _, part := range []struct {
		at   int64
		want Checksum
	}{
		{0, p.Head},
		{p.Offset - int64(p.Last.Len), p.Last},
	} {
		got, err := checksumOf(r, part.at, int64(part.want.Len))
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return Truncated, nil // after size was determined
		case err != nil:
			return Unchanged, fmt.Errorf("check fingerprint: %w", err)
		case got != part.want:
			return Replaced, nil
		}
	}
	return Unchanged, nil
}

// plausible reports whether NewFingerprint could have returned p. A stored fingerprint
// may be damaged, and its lengths determine the size of allocations.
func (p Fingerprint) plausible() bool {
	return p.Offset >= 0 &&
		int64(p.Head.Len) <= min(p.Offset, headLen) &&
		int64(p.Last.Len) <= min(p.Offset, lastLen)
}

// checksumOf returns the checksum of n bytes at off, or io.ErrUnexpectedEOF if the file
// is shorter.
func checksumOf(r io.ReaderAt, off, n int64) (Checksum, error) {
	if n <= 0 {
		return Checksum{}, nil
	}
	b := make([]byte, n)
	got, err := r.ReadAt(b, off)
	switch {
	case got == len(b):
		return Checksum{Sum: crc32.Checksum(b, castagnoli), Len: uint32(n)}, nil
	case errors.Is(err, io.EOF):
		return Checksum{}, io.ErrUnexpectedEOF
	}
	return Checksum{}, err
}
