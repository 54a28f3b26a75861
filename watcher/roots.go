package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A root is where one of Options.Roots leads at one moment.
type root struct {
	path string      // as it was given
	real string      // free of symbolic links; the path itself while it is absent
	info fs.FileInfo // nil while it is absent
	err  error       // why it is absent
}

// roots are one per Options.Roots, in the same order. Every directory belongs to the nearest root above it, the first of those that lead to
// the same place, so no file is reported twice.
type roots []root

// findRoots looks for all of them.
func findRoots(paths []string) roots {
	found := make(roots, len(paths))
	for i, path := range paths {
		found[i] = findRoot(path)
	}
	return found
}

func findRoot(path string) root {
	absent := func(err error) root { return root{path: path, real: path, err: err} }
	info, err := os.Stat(path)
	if err != nil {
		return absent(err)
	}
	if !info.IsDir() {
		return absent(&fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR})
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path // some file systems cannot tell; then links are resolved by every use
	}
	return root{path: path, real: resolved, info: info}
}

// present reports whether there is a directory.
func (r root) present() bool { return r.info != nil }

// same reports whether two looks found the same directory in the same place.
func (r root) same(o root) bool {
	return r.real == o.real && r.present() == o.present() && (!r.present() || os.SameFile(r.info, o.info))
}

// same reports whether that holds for all of them.
func (rs roots) same(others roots) bool { return slices.EqualFunc(rs, others, root.same) }

// at returns the index of the root that owns a directory which is a root itself.
func (rs roots) at(dir string) (int, bool) {
	for i, r := range rs {
		if r.real == dir {
			return i, true
		}
	}
	return 0, false
}

// locate returns the name of the file at a real path, or false when no root is above it.
func (rs roots) locate(path string) (File, bool) {
	var file File
	nearest := ""
	for i, r := range rs {
		if rel, ok := below(r.real, path); ok && len(r.real) > len(nearest) {
			nearest, file = r.real, File{Root: i, Rel: rel}
		}
	}
	return file, nearest != ""
}
