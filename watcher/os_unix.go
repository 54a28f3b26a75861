//go:build unix

package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// eventPause is the time from one batch of events to the next. The queue of the kernel
// has room for 16,384 events.
const eventPause = 100 * time.Millisecond

// openIn opens a directory below a root to list it. It does not block on a FIFO.
//
// Listing a file that os.Root has opened takes a system call for each entry, so this
// returns another file with the same descriptor.
func openIn(root *os.Root, rel string) (*os.File, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// lstatAt returns information about a file in an open directory, and whether it is
// regular. It dominates the cost of a walk, so it avoids resolving the directory again
// and allocating.
func lstatAt(dir *os.File, name string) (Info, bool, error) {
	info, mode, err := lstat(int(dir.Fd()), name)
	if err != nil {
		err = &fs.PathError{Op: "lstat", Path: filepath.Join(dir.Name(), name), Err: err}
	}
	return info, mode.IsRegular(), err
}

// lstatPath returns information about a file, and its type. It needs no descriptor.
func lstatPath(path string) (Info, fs.FileMode, error) {
	return lstat(unix.AT_FDCWD, path)
}

// lstat returns information about a path relative to an open directory, and its type,
// which is irregular after an error.
func lstat(dir int, path string) (Info, fs.FileMode, error) {
	var s unix.Stat_t
	var err error
	for {
		err = unix.Fstatat(dir, path, &s, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return Info{}, fs.ModeIrregular, err
	}
	// The types of these fields depend on the operating system.
	return Info{
		size:     s.Size,
		modified: s.Mtim.Nano(),
		device:   uint64(s.Dev),
		inode:    uint64(s.Ino),
	}, fileType(uint32(s.Mode)), nil
}

// fileType returns the type of a file: regular, directory, or irregular.
func fileType(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	}
	return fs.ModeIrregular
}
