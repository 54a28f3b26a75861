package watcher

import (
	"os"
	"path/filepath"
)

// look asks for the file that has a name in a directory, and reports whether it is a regular one. It asks for the file itself: the sizes that
// are kept in the directory are behind while a file is open. Which file it is could only be told by opening it.
func look(dir *os.File, name string) (info Info, regular bool, err error) {
	found, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return Info{}, false, err
	}
	return Info{size: found.Size(), modified: found.ModTime().UnixNano()}, found.Mode().IsRegular(), nil
}
