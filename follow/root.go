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

// A root is the directory of a source. It is opened when it is needed.
type root struct {
	path string
	*os.Root
	err error // of opening it

	// The directory below it from which a file was opened last. os.Root opens every
	// directory of a path, which takes longer than to open the file.
	dir    string
	opened *os.Root // nil if there is none
}

// newRoots returns the roots without opening them.
func (f *Follower) newRoots() roots {
	all := make(roots, len(f.sources))
	for i := range all {
		all[i].path = f.sources[i].path
	}
	return all
}

// openRoots returns the open roots.
func (f *Follower) openRoots() roots {
	all := f.newRoots()
	for i := range all {
		all[i].open()
	}
	return all
}

// open opens the root, once, and reports success.
func (in *root) open() bool {
	if in.Root == nil && in.err == nil {
		in.Root, in.err = os.OpenRoot(in.path)
	}
	return in.err == nil
}

// forGoroutine returns the same open roots for another goroutine, which closes only the
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
	dir, base := filepath.Split(name.Rel)
	if in.opened != nil && in.dir == dir {
		return openIn(in.opened, base)
	}
	if !in.open() {
		return nil, in.err
	}
	if dir == "" {
		return openIn(in.Root, base)
	}
	in.closeDir()
	opened, err := in.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	in.dir, in.opened = dir, opened
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
	in := &r[name.Root]
	if !in.open() {
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
	for i := range r {
		if r[i].Root != nil {
			_ = r[i].Close()
		}
	}
}
