package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

var errNotRegular = errors.New("not a regular file")

// Stat returns a single file below a directory as a walk would find it. Anything but a
// regular file is an error.
func Stat(dir string, name File) (FoundFile, error) {
	path := filepath.Join(dir, name.Rel)
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return FoundFile{}, fmt.Errorf("open directory: %w", err)
	}
	defer parent.Close() //nolint:errcheck // only read
	info, regular, err := lstatAt(parent, filepath.Base(path))
	if err == nil && !regular {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return FoundFile{File: name, Info: info}, err
}
