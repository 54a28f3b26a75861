package watcher

import (
	"os"
	"path/filepath"
)

// lstatAt returns information about a file in a directory, and whether it is regular.
// It does not use the directory entry, whose size is outdated while the file is open.
// The identity of the file is unknown without opening it.
func lstatAt(dir *os.File, name string) (info Info, regular bool, err error) {
	return lstatPath(filepath.Join(dir.Name(), name))
}

// lstatPath returns information about a file, and whether it is regular.
func lstatPath(path string) (info Info, regular bool, err error) {
	found, err := os.Lstat(path)
	if err != nil {
		return Info{}, false, err
	}
	return Info{size: found.Size(), modified: found.ModTime().UnixNano()}, found.Mode().IsRegular(), nil
}
