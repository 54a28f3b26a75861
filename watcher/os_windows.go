package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
)

// eventPause is 0: see eventBuffer.
const eventPause = 0

// openIn opens a directory below a root to list it.
func openIn(root *os.Root, rel string) (*os.File, error) { return root.Open(rel) }

// lstatAt returns information about a file in a directory, and whether it is regular.
// It does not use the directory entry, whose size is outdated while the file is open.
// The identity of the file is unknown without opening it.
func lstatAt(dir *os.File, name string) (Info, bool, error) {
	info, mode, err := lstatPath(filepath.Join(dir.Name(), name))
	return info, mode.IsRegular(), err
}

// lstatPath returns information about a file, and its type, which is irregular after an
// error.
func lstatPath(path string) (Info, fs.FileMode, error) {
	found, err := os.Lstat(path)
	if err != nil {
		return Info{}, fs.ModeIrregular, err
	}
	return Info{size: found.Size(), modified: found.ModTime().UnixNano()}, found.Mode().Type(), nil
}
