package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// roots are the directories of the sources, in the same order. They are for one
// goroutine at a time, see forGoroutine.
type roots []root

// A root is an open directory, or the error of opening it.
type root struct {
	*os.Root
	err error

	// The directory below it from which a file was opened last. os.Root opens every
	// directory of a path, which takes longer than to open the file.
	dir    string
	opened *os.Root // nil if there is none
}

func (f *Follower) openRoots() roots {
	all := make(roots, len(f.sources))
	for i := range all {
		f.openRoot(all, i)
	}
	return all
}

// rootsOf opens the directories needed for an update.
func (f *Follower) rootsOf(u watcher.Update) roots {
	if u.Tree != nil {
		return f.openRoots()
	}
	some := make(roots, len(f.sources))
	for _, name := range u.Dirty {
		f.openRoot(some, name.Root)
	}
	return some
}

func (f *Follower) openRoot(all roots, i int) {
	if all[i].Root == nil && all[i].err == nil {
		all[i].Root, all[i].err = os.OpenRoot(f.sources[i].path)
	}
}

// forGoroutine returns the same roots for another goroutine, which closes only the
// directories below them.
func (r roots) forGoroutine() roots {
	all := make(roots, len(r))
	for i, in := range r {
		all[i] = root{Root: in.Root, err: in.err}
	}
	return all
}

// openFile opens a file below its root. If its directory was replaced since another
// file was opened there, it looks again.
func (r roots) openFile(name watcher.File) (*openedFile, error) {
	file, err := r.openBeside(name)
	if in := &r[name.Root]; errors.Is(err, fs.ErrNotExist) && in.err == nil {
		in.closeDir()
		return r.openBeside(name)
	}
	return file, err
}

// openBeside is openFile for a file beside the one that was opened last, and most often
// missing.
func (r roots) openBeside(name watcher.File) (*openedFile, error) {
	in := &r[name.Root]
	if in.err != nil {
		return nil, in.err
	}
	dir, base := filepath.Split(name.Rel)
	if dir == "" {
		return openIn(in.Root, base)
	}
	if in.opened == nil || in.dir != dir {
		in.closeDir()
		opened, err := in.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		in.dir, in.opened = dir, opened
	}
	return openIn(in.opened, base)
}

// An openedFile is an open file and its latest description.
type openedFile struct {
	*os.File
	info fs.FileInfo
}

// refresh returns the same open file with its present description.
func (f *openedFile) refresh() (*openedFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat file: %w", err)
	}
	return &openedFile{f.File, info}, nil
}

func openIn(dir *os.Root, base string) (*openedFile, error) {
	file, info, err := tailer.Open(dir, base)
	if err != nil {
		return nil, err
	}
	return &openedFile{file, info}, nil
}

func (in *root) closeDir() {
	if in.opened != nil {
		_ = in.opened.Close()
		in.opened = nil
	}
}

// closeDirs closes the directories below the roots.
func (r roots) closeDirs() {
	for i := range r {
		r[i].closeDir()
	}
}

// size returns the size of a file below its root, or 0 if it is unknown.
func (r roots) size(name watcher.File) int64 {
	in := r[name.Root]
	if in.err != nil {
		return 0
	}
	info, err := in.Lstat(name.Rel)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (r roots) close() {
	r.closeDirs()
	for _, root := range r {
		if root.Root != nil {
			_ = root.Close()
		}
	}
}
