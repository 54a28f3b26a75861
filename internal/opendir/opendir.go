package opendir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrOwner means that a link is not followed because neither root nor the owner of its
	// target directory owns it.
	ErrOwner = errors.New("a link in its path belongs neither to root nor to the owner of its target")

	errReplaced = errors.New("directory was replaced while it was being opened")
)

// A Dir is an open directory.
type Dir struct {
	*os.Root
	Real string      // its path without links
	Info fs.FileInfo // of the directory
}

// Open opens the directory at an absolute path. Links in base, the leading part of the
// path, are followed without a check; if base is not a leading part, all links are. The
// error is an [*fs.PathError] with the path, and wraps [ErrOwner] or an error of the
// operating system.
func Open(base, path string) (*Dir, error) { return ownerCheck().open(base, path) }

// A check decides by the owners of files whether to follow a link. Without a function,
// all links are followed.
type check struct {
	owner func(fs.FileInfo) (uid uint32)
}

func (c check) open(base, path string) (*Dir, error) {
	rel, ok := relBelow(base, path)
	if !ok || c.owner == nil {
		base = path
	}
	dir, err := openTrusted(base)
	if err == nil && base != path {
		dir, err = c.resolve(dir, rel)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: withoutPath(err)}
	}
	return dir, nil
}

// openTrusted opens a directory and follows all links in its path.
func openTrusted(path string) (*Dir, error) {
	root, err := openRoot(path)
	if err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path // unsupported by some file systems; every use resolves links then
	}
	info, err := root.Stat(".")
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &Dir{root, resolved, info}, nil
}

func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// relBelow returns path relative to base, or false if it is not below base.
func relBelow(base, path string) (string, bool) {
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(base, separator))
	if !ok || base == "" || len(rel) < 2 || !os.IsPathSeparator(rel[0]) {
		return "", false
	}
	return rel[1:], true
}
