package follow

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// roots are the directories of the sources, in the same order. One goroutine at a time
// may use them, see forGoroutine.
type roots []root

// A root is the directory of a source. It is opened when it is needed.
type root struct {
	path, base string // see Source
	*os.Root
	err error // of opening it

	// The directory below the root that contains the file opened last. os.Root opens
	// every directory of a path, which takes longer than opening the file.
	dir    string
	opened *os.Root // nil if there is no such directory
}

// newRoots returns the roots without opening them.
func (f *Follower) newRoots() roots {
	all := make(roots, len(f.sources))
	for i := range all {
		all[i].path, all[i].base = f.sources[i].path, f.sources[i].base
	}
	return all
}

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
		var dir *opendir.Dir
		if dir, in.err = opendir.Open(in.base, in.path); in.err == nil {
			in.Root = dir.Root
		}
	}
	return in.err == nil
}

// forGoroutine returns the same open roots for another goroutine, which closes only the
// directories below them.
func (r roots) forGoroutine() roots {
	all := make(roots, len(r))
	for i, in := range r {
		all[i] = root{path: in.path, base: in.base, Root: in.Root, err: in.err}
	}
	return all
}

// openFile opens a file below its root. If its directory was replaced since the last
// file was opened there, it opens the new directory.
func (r roots) openFile(name watcher.File) (*openedFile, error) {
	file, err := r.openBeside(name)
	if in := &r[name.Root]; errors.Is(err, fs.ErrNotExist) && in.err == nil {
		in.closeDir()
		return r.openBeside(name)
	}
	return file, err
}

// openBeside is openFile for a file beside the last opened file. Most often it does not
// exist.
func (r roots) openBeside(name watcher.File) (*openedFile, error) {
	dir, base := filepath.Split(name.Rel)
	in, err := r[name.Root].directory(dir)
	if err != nil {
		return nil, err
	}
	return openIn(in, base)
}

// directory returns an open directory below the root. The next call may close it.
func (in *root) directory(dir string) (*os.Root, error) {
	if in.opened != nil && in.dir == dir {
		return in.opened, nil
	}
	if !in.open() {
		return nil, in.err
	}
	if dir == "" {
		return in.Root, nil
	}
	in.closeDir()
	opened, err := in.OpenRoot(dir + ".") // does not block on a FIFO
	if err != nil {
		opened, err = in.openLinked(dir, err)
	}
	if err != nil {
		return nil, err
	}
	in.dir, in.opened = dir, opened
	return opened, nil
}

// openLinked opens a directory at or below the target of a link directly below the
// root, which the root itself cannot open. Without such a link it returns the error of
// the root.
func (in *root) openLinked(dir string, err error) (*os.Root, error) {
	name, rest, _ := strings.Cut(dir, string(filepath.Separator))
	if info, failure := in.Lstat(name); failure != nil || info.Mode().Type() != fs.ModeSymlink {
		return nil, err
	}
	target, err := opendir.Open(cmp.Or(in.base, in.path), filepath.Join(in.path, name))
	if err != nil {
		return nil, err
	}
	if rest == "" {
		return target.Root, nil
	}
	defer target.Close() //nolint:errcheck // only read
	return target.OpenRoot(rest + ".")
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
	dir, base := filepath.Split(name.Rel)
	in, err := r[name.Root].directory(dir)
	if err != nil {
		return 0
	}
	info, err := in.Lstat(base)
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
