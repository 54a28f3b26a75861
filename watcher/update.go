package watcher

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A File is named by the root it is in and its path below that.
type File struct {
	Root int    // index into Options.Roots
	Rel  string // with the separators of the system
}

// Compare orders files by root, then by path.
func (f File) Compare(g File) int {
	return cmp.Or(cmp.Compare(f.Root, g.Root), strings.Compare(f.Rel, g.Rel))
}

// Found is a file as a walk saw it.
type FoundFile struct {
	File
	Info Info
}

// Info is what a walk sees of a file without opening it.
type Info struct {
	size, modified int64
	device, inode  uint64
}

// Size returns the length of the file in bytes.
func (i Info) Size() int64 { return i.size }

// ModTime returns when the file was changed last.
func (i Info) ModTime() time.Time { return time.Unix(0, i.modified) }

// Identity tells which file it is, whatever it is called: the numbers of the file system and of the file on it. It is false on Windows, where
// a file has to be opened for that.
func (i Info) Identity() (device, inode uint64, ok bool) { return i.device, i.inode, i.inode != 0 }

// An Update is what was learnt in a while. Where it holds both, Tree is the older news.
type Update struct {
	// Dirty files may have been written, made, exchanged or removed. Each is there once, in no order. A hint, not a fact: it may be
	// unchanged, and by now it may be anything. What is there and no regular file is left out.
	Dirty []File

	// Tree is not nil after a complete walk: all regular files of interest, sorted by [File.Compare]. When there were several walks it
	// is the last.
	Tree []FoundFile

	// Unreadable are the directories that this walk could not read, a root being ".". What is in them is not known, and not in Tree.
	Unreadable []File
}

// Gone reports whether f was no longer there: a walk has looked where it would be and not found it, and nothing was heard of it since the walk
// began. It is false when there was no walk. A file that was moved during the walk is gone from where it was, and by its new name it may be
// Dirty now or only in the next update.
func (u Update) Removed(f File) bool {
	if u.Tree == nil {
		return false
	}
	if _, found := slices.BinarySearchFunc(u.Tree, f, func(t FoundFile, f File) int { return t.Compare(f) }); found {
		return false
	}
	return !slices.ContainsFunc(u.Unreadable, f.in) && !slices.Contains(u.Dirty, f)
}

// in reports whether f is somewhere in a directory.
func (f File) in(dir File) bool {
	_, ok := below(dir.Rel, f.Rel)
	return dir.Root == f.Root && (ok || dir.Rel == ".")
}

// A gathering holds what has been learnt until it is taken. Its memory is bounded by the number of files.
type gathering struct {
	wake chan struct{}

	mu         sync.Mutex
	roots      roots
	dirty      map[string]struct{} // real paths
	since      map[string]struct{} // those touched since the walk under way began, nil when there is none
	tree       []FoundFile
	unreadable []File
}

func newGathering() *gathering {
	return &gathering{wake: make(chan struct{}, 1), dirty: make(map[string]struct{})}
}

// begin says that a walk begins, and which roots the paths belong to from now on.
func (g *gathering) begin(r roots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.roots, g.since = r, make(map[string]struct{})
}

// touch adds a file that may have changed.
func (g *gathering) touch(path string) {
	g.mu.Lock()
	g.dirty[path] = struct{}{}
	if g.since != nil {
		g.since[path] = struct{}{}
	}
	g.mu.Unlock()
	signal(g.wake)
}

// complete adds the outcome of the walk, in place of an earlier one. What was touched meanwhile is dirty once more, even if it has been taken:
// otherwise one would hear of a new file first, and then of a tree without it.
func (g *gathering) complete(t tree) {
	g.mu.Lock()
	g.tree, g.unreadable = t.files, t.unreadable
	maps.Copy(g.dirty, g.since)
	g.since = nil
	g.mu.Unlock()
	signal(g.wake)
}

// take empties the gathering. The files are looked at here, and not when their events come, because that goroutine must not wait for a disk.
func (g *gathering) take() Update {
	g.mu.Lock()
	u := Update{Tree: g.tree, Unreadable: g.unreadable}
	dirty, roots := g.dirty, g.roots
	g.dirty, g.tree, g.unreadable = make(map[string]struct{}), nil, nil
	g.mu.Unlock()
	for path := range dirty {
		if f, ok := roots.locate(path); ok && maybeRegular(path) {
			u.Dirty = append(u.Dirty, f)
		}
	}
	return u
}

// maybeRegular is false for what is there and no regular file. What is gone counts: that it went is news.
func maybeRegular(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// below returns the path of what is somewhere in dir, relative to it. Both are clean.
func below(dir, path string) (string, bool) {
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	if !ok || len(rel) < 2 || !os.IsPathSeparator(rel[0]) {
		return "", false
	}
	return rel[1:], true
}
