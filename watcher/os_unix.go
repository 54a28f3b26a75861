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
	var s unix.Stat_t
	for {
		err = unix.Fstatat(int(dir.Fd()), name, &s, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return Info{}, false, &fs.PathError{Op: "lstat", Path: filepath.Join(dir.Name(), name), Err: err}
	}
	// The types of these fields depend on the operating system.
	return Info{
		size:     s.Size,
		modified: s.Mtim.Nano(),
		device:   uint64(s.Dev),
		inode:    uint64(s.Ino),
	}, s.Mode&unix.S_IFMT == unix.S_IFREG, nil
}
