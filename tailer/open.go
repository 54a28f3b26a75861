package tailer

import (
	"errors"
	"io/fs"
	"os"
)

var (
	// ErrNotRegular means that a name refers to a directory, a symbolic link, a FIFO, a
	// socket or a device.
	ErrNotRegular = errors.New("not a regular file")

	// ErrReplaced means that the file was replaced while it was being opened. The caller
	// may try again.
	ErrReplaced = errors.New("file was replaced while it was being opened")
)

// Open opens the regular file rel below root for reading, and returns its current
// description. The last element of rel must not be a symbolic link; earlier elements
// may be links that stay below root. Open never blocks, not even on a FIFO without a
// writer. An error is an [*fs.PathError] that wraps [ErrNotRegular], [ErrReplaced] or
// an error of the operating system.
func Open(root *os.Root, rel string) (*os.File, fs.FileInfo, error) {
	seen, err := root.Lstat(rel)
	if err != nil {
		return nil, nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, pathError(rel, ErrNotRegular)
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := confirm(f, seen)
	if err != nil {
		_ = f.Close()
		return nil, nil, pathError(rel, err)
	}
	return f, info, nil
}

// confirm describes f. It returns ErrReplaced if f is not the file seen before: the
// name may refer to a link or a FIFO by now.
func confirm(f *os.File, seen fs.FileInfo) (fs.FileInfo, error) {
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(seen, opened) {
		return nil, ErrReplaced
	}
	return opened, nil
}

func pathError(rel string, err error) error {
	return &fs.PathError{Op: "open", Path: rel, Err: err}
}
