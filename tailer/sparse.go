//go:build linux || darwin || freebsd

package tailer

import (
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// nextData returns the offset of the next data in f at or after off, or size if only a
// hole follows. Holes read as NULs, take no space on disk and may span terabytes. If
// the file system does not report holes, nextData returns off.
func nextData(f io.ReaderAt, off, size int64) int64 {
	s, ok := f.(io.Seeker)
	if !ok {
		return off
	}
	switch at, err := s.Seek(off, unix.SEEK_DATA); {
	case errors.Is(err, syscall.ENXIO):
		return size
	case err != nil:
		return off
	default:
		return min(max(off, at), size)
	}
}
