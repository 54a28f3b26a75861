package tailer

import (
	"errors"
	"io/fs"
	"os"
)

var (
	// ErrNotRegular says that a name does not stand for a regular file: it is a directory, a symbolic link, a FIFO, a socket or a device.
	ErrNotRegular = errors.New("not a regular file")

	// ErrExchanged says that another file took over the name while it was being opened. It is worth trying again.
	ErrReplaced = errors.New("file was exchanged while it was opened")
)

// Open opens the regular file rel below root for reading. The last element of rel must not be a symbolic link; earlier ones may be, as long
// as they stay below root. Open never waits, not even for the writer of a FIFO. An error is an [*fs.PathError] that wraps [ErrNotRegular],
// [ErrExchanged] or what the operating system said.
func Open(root *os.Root, rel string) (*os.File, error) {
	seen, err := root.Lstat(rel)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, pathError(rel, ErrNotRegular)
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if err := confirm(f, seen); err != nil {
		_ = f.Close()
		return nil, pathError(rel, err)
	}
	return f, nil
}

// confirm says whether f is the file that was seen under its name before: a link or a FIFO may have been put there since.
func confirm(f *os.File, seen fs.FileInfo) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(seen, opened) {
		return ErrReplaced
	}
	return nil
}

func pathError(rel string, err error) error {
	return &fs.PathError{Op: "open", Path: rel, Err: err}
}
