package watcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Walk walks all roots once, without watching anything. It uses only the options Roots,
// Match and SkipDir. The files are those of [Update.Tree]. The errors are those of
// unreadable directories and missing roots (fs.ErrNotExist); everything else was read.
// If ctx ends early, the files are incomplete and the error of ctx is the last one.
func Walk(ctx context.Context, o Options) ([]FoundFile, []error) {
	o = o.withDefaults()
	rs := findRoots(o.Roots)
	t := walkRoots(ctx, o, rs, func(string) {})
	var errs []error
	for _, r := range rs {
		if isNotExist(r.err) {
			errs = append(errs, r.err)
		}
	}
	errs = append(errs, t.errs...)
	if err := ctx.Err(); err != nil {
		errs = append(errs, err)
	}
	return t.files, errs
}

// A tree is the result of a walk.
type tree struct {
	files      []FoundFile
	unreadable []File
	errs       []error // of unreadable, in the same order
}

// walkRoots walks all roots. It calls enter with every directory before reading it.
func walkRoots(ctx context.Context, o Options, rs roots, enter func(dir string)) tree {
	t := tree{files: []FoundFile{}}
	for i, r := range rs {
		if owner, _ := rs.at(r.real); owner != i {
			continue // the same directory as an earlier root
		}
		w := newWalker(o, rs)
		w.enter = enter
		t.walkRoot(ctx, w, i)
	}
	slices.SortFunc(t.files, func(a, b FoundFile) int { return a.Compare(b.File) })
	return t
}

func (t *tree) walkRoot(ctx context.Context, w *walker, i int) {
	r := w.roots[i]
	failed := func(dir string, err error) {
		rel, ok := relBelow(r.real, dir)
		if !ok {
			rel = "."
		}
		t.unreadable = append(t.unreadable, File{Root: i, Rel: rel})
		t.errs = append(t.errs, err)
	}
	w.failed = failed
	w.found = func(path string, info Info) {
		if rel, ok := relBelow(r.real, path); ok {
			t.files = append(t.files, FoundFile{File: File{Root: i, Rel: rel}, Info: info})
		}
	}
	switch {
	case r.present():
		w.walk(ctx, r.real)
	case !isNotExist(r.err):
		failed(r.real, r.err)
	}
}

// A walker walks one directory and everything below it.
type walker struct {
	match, skip func(base string) bool
	roots       roots
	enter       func(dir string)             // before a directory is read
	found       func(path string, info Info) // a selected regular file
	failed      func(dir string, err error)  // the directory could not be read completely
}

// newWalker returns a walker that leaves errors to the next walk of everything, which
// reports them.
func newWalker(o Options, rs roots) *walker {
	return &walker{match: o.Match, skip: o.SkipDir, roots: rs, failed: func(string, error) {}}
}

// walk uses a list instead of recursion, so that depth is not limited by the stack. A
// file or directory that disappears during the walk is no error.
func (w *walker) walk(ctx context.Context, top string) {
	todo := []string{top}
	for len(todo) > 0 && ctx.Err() == nil {
		dir := todo[len(todo)-1]
		w.enter(dir)
		dirs, err := w.read(dir)
		if err != nil {
			w.failed(dir, err)
		}
		todo = append(todo[:len(todo)-1], dirs...)
	}
}

// read reports the files of one directory and returns the directories to enter. After
// an error both may be incomplete.
func (w *walker) read(dir string) (dirs []string, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	defer f.Close() //nolint:errcheck // only read
	entries, err := f.ReadDir(-1)
	err = ignoreNotExist(err)
	for _, e := range entries {
		switch {
		case e.IsDir():
			if path := filepath.Join(dir, e.Name()); w.enters(path) {
				dirs = append(dirs, path)
			}
		case e.Type().IsRegular() && w.match(e.Name()):
			info, regular, failure := lstatAt(f, e.Name())
			if regular {
				w.found(filepath.Join(dir, e.Name()), info)
			}
			if err == nil {
				err = ignoreNotExist(failure)
			}
		}
	}
	return dirs, err
}

// enters reports whether a walk enters a directory. Another root is walked separately.
func (w *walker) enters(dir string) bool {
	_, root := w.roots.at(dir)
	return !root && !w.skip(filepath.Base(dir))
}

// ignoreNotExist returns err unless it means that a file or directory does not exist.
func ignoreNotExist(err error) error {
	if isNotExist(err) {
		return nil
	}
	return err
}

var errNotRegular = errors.New("not a regular file")

// Stat returns a single file below a directory as a walk would find it. Anything but a
// regular file is an error.
func Stat(dir string, name File) (FoundFile, error) {
	path := filepath.Join(dir, name.Rel)
	info, mode, err := lstatPath(path)
	if err == nil && !mode.IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return FoundFile{}, &fs.PathError{Op: "lstat", Path: path, Err: WithoutPath(err)}
	}
	return FoundFile{File: name, Info: info}, nil
}

// isNotExist reports whether an error means that a file or directory does not exist.
func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// WithoutPath returns an error without the path in it.
func WithoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
