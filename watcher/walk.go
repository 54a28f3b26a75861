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

// Walk goes through all roots once, without watching anything; of the options only Roots, Match and SkipDir matter. The files are those of
// [Update.Tree]. The errors are of what could not be read and of roots that are not there (fs.ErrNotExist); everything else was. When ctx ends
// early its error is the last of them, and the files are some of all.
func Walk(ctx context.Context, o Options) ([]FoundFile, []error) {
	o = o.withDefaults()
	rs := findRoots(o.Roots)
	t := walkRoots(ctx, o, rs, func(string) {})
	var errs []error
	for _, r := range rs {
		if gone(r.err) {
			errs = append(errs, r.err)
		}
	}
	errs = append(errs, t.errs...)
	if err := ctx.Err(); err != nil {
		errs = append(errs, err)
	}
	return t.files, errs
}

// A tree is the outcome of one walk through all roots.
type tree struct {
	files      []FoundFile
	unreadable []File
	errs       []error // of the unreadable, in the same order
}

// walkRoots makes a tree. It calls enter with every directory before it reads that.
func walkRoots(ctx context.Context, o Options, rs roots, enter func(dir string)) tree {
	t := tree{files: []FoundFile{}}
	for i, r := range rs {
		if owner, _ := rs.at(r.real); owner != i {
			continue // leads to where an earlier one leads
		}
		t.walkRoot(ctx, &walker{match: o.Match, skip: o.SkipDir, roots: rs, enter: enter}, i)
	}
	slices.SortFunc(t.files, func(a, b FoundFile) int { return a.Compare(b.File) })
	return t
}

func (t *tree) walkRoot(ctx context.Context, w *walker, i int) {
	r := w.roots[i]
	failed := func(dir string, err error) {
		rel, ok := below(r.real, dir)
		if !ok {
			rel = "."
		}
		t.unreadable = append(t.unreadable, File{Root: i, Rel: rel})
		t.errs = append(t.errs, err)
	}
	w.failed = failed
	w.found = func(path string, info Info) {
		if rel, ok := below(r.real, path); ok {
			t.files = append(t.files, FoundFile{File: File{Root: i, Rel: rel}, Info: info})
		}
	}
	switch {
	case r.present():
		w.walk(ctx, r.real)
	case !gone(r.err):
		failed(r.real, r.err)
	}
}

// A walker goes through one directory and what is below it, and says what it meets.
type walker struct {
	match, skip func(base string) bool
	roots       roots
	enter       func(dir string)             // before a directory is read
	found       func(path string, info Info) // a regular file of interest
	failed      func(dir string, err error)  // it could not be read, or not to its end
}

// walk keeps a list of what is left to do rather than calling itself, so that depth costs nothing. What vanishes meanwhile is no error.
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

// read reports the files of one directory and returns the directories in it that are to be entered. With an error, these are not all.
func (w *walker) read(dir string) (dirs []string, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, unlessGone(err)
	}
	defer f.Close() //nolint:errcheck // only read
	entries, err := f.ReadDir(-1)
	err = unlessGone(err)
	for _, e := range entries {
		switch {
		case e.IsDir():
			if path := filepath.Join(dir, e.Name()); w.enters(path) {
				dirs = append(dirs, path)
			}
		case e.Type().IsRegular() && w.match(e.Name()):
			info, regular, failure := look(f, e.Name())
			if regular {
				w.found(filepath.Join(dir, e.Name()), info)
			}
			if err == nil {
				err = unlessGone(failure)
			}
		}
	}
	return dirs, err
}

// enters reports whether a directory that is no root is walked together with what is above it.
func (w *walker) enters(dir string) bool {
	_, root := w.roots.at(dir)
	return !root && !w.skip(filepath.Base(dir))
}

// unlessGone returns an error unless it only means that something has vanished meanwhile.
func unlessGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}

// gone reports whether an error means that there is no such file or directory.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// kind returns what went wrong without the name of what it went wrong with.
func kind(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
