package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A root is the result of resolving one of Options.Roots.
type root struct {
	path string      // as configured
	real string      // without symbolic links, see findRoots; equal to path if absent
	info fs.FileInfo // nil if absent
	err  error       // the reason if absent
}

// roots correspond to Options.Roots. Every directory belongs to the nearest root above
// it, or the first of several that lead to the same directory, so no file is reported
// twice.
type roots []root

// findRoots resolves all paths. Roots that are the same directory have the real path of
// the first: paths may also differ by mounts, and where the file system ignores that,
// by case and Unicode normalization.
func findRoots(paths []string) roots {
	found := make(roots, len(paths))
	for i, path := range paths {
		found[i] = findRoot(path)
		same := func(r root) bool { return r.present() && os.SameFile(r.info, found[i].info) }
		if first := slices.IndexFunc(found[:i], same); first >= 0 && found[i].present() {
			found[i].real = found[first].real
		}
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
		resolved = path // unsupported by some file systems; every use resolves links then
	}
	return root{path: path, real: resolved, info: info}
}

// present reports whether the directory exists.
func (r root) present() bool { return r.info != nil }

// same reports whether both are the same directory at the same path.
func (r root) same(o root) bool {
	return r.real == o.real && r.present() == o.present() && (!r.present() || os.SameFile(r.info, o.info))
}

// same reports whether all roots are the same.
func (rs roots) same(others roots) bool { return slices.EqualFunc(rs, others, root.same) }

// at returns the index of the root at a directory, if it is one.
func (rs roots) at(dir string) (int, bool) {
	for i, r := range rs {
		if r.real == dir {
			return i, true
		}
	}
	return 0, false
}

// locate returns the name of the file at a real path, or false if it is below no root.
func (rs roots) locate(path string) (File, bool) {
	var file File
	nearest := ""
	for i, r := range rs {
		if rel, ok := relBelow(r.real, path); ok && len(r.real) > len(nearest) {
			nearest, file = r.real, File{Root: i, Rel: rel}
		}
	}
	return file, nearest != ""
}
