//go:build unix

package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// look asks for the file that has a name in an open directory, and reports whether it is a regular one. A walk does little else, so it neither
// has the system find the directory again for each file nor makes anything that has to be cleared away.
func look(dir *os.File, name string) (info Info, regular bool, err error) {
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
