package watcher

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
)

// A walker walks one directory and everything below it.
type walker struct {
	o      Options
	roots  roots
	root   root                              // the root of the directory
	dir    *opendir.Dir                      // of root; nil before something is read
	enter  func(dir string)                  // before a directory is read
	found  func(dir, name string, info Info) // a selected regular file
	aside  func(path string)                 // a regular file that is only counted
	linked func(path string)                 // a symbolic link
	passed func(other root)                  // a directory that is another root
	failed func(dir string, err error)       // the directory could not be read completely
}

// newWalker returns a walker of a directory that is a root or below a root. It leaves
// errors to the next complete walk, which reports them. It must be closed.
func newWalker(o Options, rs roots, dir string) *walker {
	w := &walker{o: o, roots: rs, linked: func(string) {}, aside: func(string) {}, passed: func(root) {}, failed: func(string, error) {}}
	w.root, _ = rs.nearest(dir)
	return w
}

func (w *walker) close() {
	if w.dir != nil {
		_ = w.dir.Close()
	}
}

// open opens a directory through its root, so that no link that has replaced a
// directory is followed to the outside.
func (w *walker) open(dir string) (*os.File, error) {
	if len(dir) >= maxPath {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENAMETOOLONG}
	}
	if w.dir == nil {
		var err error
		if w.dir, err = w.root.open(w.o); err != nil {
			return nil, err
		}
	}
	rel, ok := relBelow(w.root.real, dir)
	if !ok {
		rel = "."
	}
	f, err := openIn(w.dir.Root, rel)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: WithoutPath(err)}
	}
	return f, nil
}

// walk uses a list instead of recursion, so that depth is not limited by the stack. A
// file or directory that disappears during the walk is no error.
func (w *walker) walk(ctx context.Context, top string) {
	todo := []string{top}
	for len(todo) > 0 && ctx.Err() == nil {
		dir := todo[len(todo)-1]
		w.enter(dir)
		dirs, err := w.read(ctx, dir)
		if err != nil && ctx.Err() == nil {
			w.failed(dir, err)
		}
		todo = append(todo[:len(todo)-1], dirs...)
	}
}

// read reports the files of one directory and returns the directories to enter. After
// an error, and if ctx ends, both may be incomplete.
func (w *walker) read(ctx context.Context, dir string) (dirs []string, err error) {
	f, err := w.open(dir)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	defer f.Close() //nolint:errcheck // only read
	entries, err := f.ReadDir(-1)
	err = ignoreNotExist(err)
	for _, e := range entries {
		if ctx.Err() != nil {
			return dirs, ctx.Err()
		}
		switch {
		case e.IsDir():
			if path := filepath.Join(dir, e.Name()); w.enters(path) {
				dirs = append(dirs, path)
			}
		case e.Type() == fs.ModeSymlink:
			if path := filepath.Join(dir, e.Name()); !w.skips(path) {
				w.linked(path)
			}
		case e.Type().IsRegular() && w.o.Match(e.Name()):
			info, regular, failure := lstatAt(f, e.Name())
			if regular {
				w.found(dir, e.Name(), info)
			}
			if err == nil {
				err = ignoreNotExist(failure)
			}
		case e.Type().IsRegular() && w.o.Aside(e.Name()):
			w.aside(filepath.Join(dir, e.Name()))
		}
	}
	return dirs, err
}

// enters reports whether a walk enters a directory. Another root is walked separately.
func (w *walker) enters(dir string) bool {
	if i, ok := w.roots.rootAt(dir); ok {
		w.passed(w.roots.all[i])
		return false
	}
	return !w.skips(dir)
}

// skips reports whether a directory at a path below the root is excluded.
func (w *walker) skips(path string) bool {
	rel, _ := relBelow(w.root.real, path)
	return w.o.SkipDir(w.root.file(rel).Rel)
}
