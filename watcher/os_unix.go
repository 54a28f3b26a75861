//go:build unix

package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lstatAt returns information about a file in an open directory, and whether it is
// regular. It dominates the cost of a walk, so it avoids resolving the directory again
// and allocating.
func lstatAt(dir *os.File, name string) (info Info, regular bool, err error) {
	info, regular, err = lstat(int(dir.Fd()), name)
	if err != nil {
		err = &fs.PathError{Op: "lstat", Path: filepath.Join(dir.Name(), name), Err: err}
	}
	return info, regular, err
}

// lstatPath returns information about a file, and whether it is regular. It needs no
// descriptor.
func lstatPath(path string) (info Info, regular bool, err error) {
	return lstat(unix.AT_FDCWD, path)
}

// lstat returns information about a path relative to an open directory.
func lstat(dir int, path string) (info Info, regular bool, err error) {
	var s unix.Stat_t
	for {
		err = unix.Fstatat(dir, path, &s, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return Info{}, false, err
	}
	// The types of these fields depend on the operating system.
	return Info{
		size:     s.Size,
		modified: s.Mtim.Nano(),
		device:   uint64(s.Dev),
		inode:    uint64(s.Ino),
	}, s.Mode&unix.S_IFMT == unix.S_IFREG, nil
}
