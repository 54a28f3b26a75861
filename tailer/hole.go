//go:build linux || darwin || freebsd

package tailer

import (
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// data returns where at or behind off there is something in f, size if there is nothing more. What is before that is a hole, which reads as
// NULs and takes no room: a file may have terabytes of it. Where nobody can tell, it is off.
func data(f io.ReaderAt, off, size int64) int64 {
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
