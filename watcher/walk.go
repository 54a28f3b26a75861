package watcher

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"syscall"
)

// maxPath is the length of the longest path of a directory that is walked, in bytes.
// Linux refuses longer paths, so their files could be neither watched nor checked.
const maxPath = 4096

// Walk walks all roots once, without watching them. It uses only the options Roots,
// Match and SkipDir. The files equal [Update.Tree]. The errors are about unreadable
// directories and missing roots (fs.ErrNotExist); all other directories were read. If
// ctx ends early, the files are incomplete and the last error is ctx's.
func Walk(ctx context.Context, o Options) ([]FoundFile, []error) {
	o = o.withDefaults()
	rs := findRoots(o)
	t := walkRoots(ctx, o, rs, func(string) {})
	t.skipped.log(o, nil)
	var errs []error
	for _, r := range rs.all {
		if r.link == "" && isNotExist(r.err) {
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
	skipped    skippedLinks
	aside      map[int]int // files that Options.Aside selects, by root
	missing    []int       // indexes of roots that do not exist
	newLinks   bool        // links have appeared since the roots were found
	newRoots   bool        // a root has appeared since the roots were found
}

// walkRoots walks all roots. It calls enter with every directory before reading it.
func walkRoots(ctx context.Context, o Options, rs roots, enter func(dir string)) tree {
	t := tree{files: make([]FoundFile, 0, o.expected), skipped: make(skippedLinks), aside: make(map[int]int)}
	for i, r := range rs.all {
		if owner, _ := rs.rootAt(r.real); owner != i {
			continue // the same directory as an earlier root
		}
		if r.skip != "" {
			t.skipped.add(r.file("."), r.skip)
			continue
		}
		w := newWalker(o, rs, r.real)
		w.enter = enter
		t.walkRoot(ctx, w, r)
		w.close()
	}
	slices.SortFunc(t.files, func(a, b FoundFile) int { return a.Compare(b.File) })
	return t
}

// of returns the files of a source.
func (t *tree) of(source int) []FoundFile {
	start := sort.Search(len(t.files), func(i int) bool { return t.files[i].Root >= source })
	end := sort.Search(len(t.files), func(i int) bool { return t.files[i].Root > source })
	return t.files[start:end]
}

func (t *tree) walkRoot(ctx context.Context, w *walker, r root) {
	w.failed = func(dir string, err error) {
		t.unreadable = append(t.unreadable, r.name(dir))
		t.errs = append(t.errs, err)
	}
	w.found = func(dir, name string, info Info) {
		t.files = append(t.files, FoundFile{File: r.name(dir).below(name), Info: info})
	}
	w.aside = func(path string) { t.aside[r.name(path).Root]++ }
	w.passed = func(other root) { t.newRoots = t.newRoots || !other.present() }
	w.linked = func(path string) {
		switch {
		case w.roots.isLinkAt(path):
		case r.link == "" && filepath.Dir(path) == r.real:
			t.newLinks = true
		default:
			t.skipped.add(r.name(path), w.nested(path))
		}
	}
	switch {
	case r.present():
		w.walk(ctx, r.real)
	case !isNotExist(r.err):
		w.failed(r.real, r.err)
	case r.link == "":
		t.missing = append(t.missing, r.source)
	}
}

// ignoreNotExist returns err unless it means that a file or directory does not exist.
func ignoreNotExist(err error) error {
	if isNotExist(err) {
		return nil
	}
	return err
}

var (
	errNotRegular = errors.New("not a regular file")
	errReplaced   = errors.New("directory was replaced during the walk")
)

// Stat returns a single file below a directory as a walk would find it. It fails if the
// file is not regular.
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
