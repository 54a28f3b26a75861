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

// A File is identified by its root and its path below the root.
type File struct {
	Root int    // index into Options.Roots
	Rel  string // with the separators of the operating system
}

// below returns the file with a name in the directory f.
func (f File) below(name string) File {
	if f.Rel != "." {
		name = f.Rel + string(filepath.Separator) + name
	}
	return File{f.Root, name}
}

// Compare orders files by root, then by path.
func (f File) Compare(g File) int {
	return cmp.Or(cmp.Compare(f.Root, g.Root), strings.Compare(f.Rel, g.Rel))
}

// A FoundFile is a file found by a walk.
type FoundFile struct {
	File
	Info Info
}

// Info describes a file that was not opened.
type Info struct {
	size, modified int64
	device, inode  uint64
}

// Size returns the size of the file in bytes.
func (i Info) Size() int64 { return i.size }

// ModTime returns the modification time.
func (i Info) ModTime() time.Time { return time.Unix(0, i.modified) }

// Identity returns the numbers of the file system and of the file, which identify the
// file independent of its name. ok is false on Windows, where only an open file has an
// identity.
func (i Info) Identity() (device, inode uint64, ok bool) { return i.device, i.inode, i.inode != 0 }

// An Update contains the changes since the last one. Tree is older than Dirty.
type Update struct {
	// Dirty are files that may have been written, created, replaced or removed, each once,
	// sorted by [File.Compare]. They are hints: a file may be unchanged or have changed
	// again. Names that exist but are no regular files are omitted.
	Dirty []File

	// Tree contains all selected regular files after a complete walk, sorted by
	// [File.Compare]. It is nil if no walk was completed. If several walks were
	// completed, it is the last walk's.
	Tree []FoundFile

	// Unreadable are the directories that this walk could not read, sorted; "." is a root.
	// Their content is unknown and not in Tree.
	Unreadable []File

	// Missing are the indexes of the roots that did not exist.
	Missing []int

	// Skipped are the symbolic links that this walk has not followed. It must not be
	// changed.
	Skipped map[File]LinkReason

	// Aside are the numbers of regular files below each root that Options.Aside selects.
	// It must not be changed.
	Aside map[int]int
}

// Removed reports whether a walk did not find f in a directory that it could read, and
// no event concerned f since the walk began. It returns false if there was no walk. A
// file that was moved during the walk is Removed at its old name; its new name may be
// Dirty in this update or in the next update.
func (u Update) Removed(f File) bool {
	if u.Tree == nil {
		return false
	}
	if _, found := slices.BinarySearchFunc(u.Tree, f, func(t FoundFile, f File) int { return t.Compare(f) }); found {
		return false
	}
	return !isIn(u.Dirty, f) && !u.isUnreadable(f)
}

// isUnreadable reports whether f is below a directory that could not be read.
func (u Update) isUnreadable(f File) bool {
	for dir := f; dir.Rel != "."; {
		if dir.Rel = filepath.Dir(dir.Rel); isIn(u.Unreadable, dir) {
			return true
		}
	}
	return false
}

// isIn reports whether f is one of the sorted files.
func isIn(sorted []File, f File) bool {
	_, found := slices.BinarySearchFunc(sorted, f, File.Compare)
	return found
}

// An accumulator collects changes until they are taken. Its memory is bounded by the
// number of files.
type accumulator struct {
	wake chan struct{}

	mu         sync.Mutex
	roots      roots
	dirty      map[string]struct{} // real paths
	duringWalk map[string]struct{} // marked during the current walk; nil if there is none
	tree       []FoundFile
	unreadable []File
	missing    []int
	skipped    skippedLinks
	aside      map[int]int
}

func newAccumulator() *accumulator {
	return &accumulator{wake: make(chan struct{}, 1), dirty: make(map[string]struct{})}
}

// beginWalk starts a walk and sets the roots of all later paths.
func (g *accumulator) beginWalk(r roots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.roots, g.duringWalk = r, make(map[string]struct{})
}

// markDirty adds a file that may have changed, and wakes the consumer.
func (g *accumulator) markDirty(path string) {
	g.mark(path)
	notify(g.wake)
}

// mark adds a file that may have changed. wakeIfDirty must follow.
func (g *accumulator) mark(path string) {
	g.mu.Lock()
	g.dirty[path] = struct{}{}
	if g.duringWalk != nil {
		g.duringWalk[path] = struct{}{}
	}
	g.mu.Unlock()
}

// wakeIfDirty wakes the consumer if files were marked.
func (g *accumulator) wakeIfDirty() {
	g.mu.Lock()
	dirty := len(g.dirty) > 0
	g.mu.Unlock()
	if dirty {
		notify(g.wake)
	}
}

// endWalk sets the result of the walk, replacing an earlier one. Files marked during
// the walk become dirty again, even if they were already taken. Otherwise the consumer
// could get a new file first, and then a tree without it.
func (g *accumulator) endWalk(t tree) {
	slices.SortFunc(t.unreadable, File.Compare)
	g.mu.Lock()
	g.tree, g.unreadable, g.missing, g.skipped = t.files, t.unreadable, t.missing, t.skipped
	g.aside = t.aside
	maps.Copy(g.dirty, g.duringWalk)
	g.duringWalk = nil
	g.mu.Unlock()
	notify(g.wake)
}

// take returns and removes all changes. Files are checked here, since the goroutine
// that receives events must not wait for a disk.
func (g *accumulator) take() Update {
	g.mu.Lock()
	u := Update{Tree: g.tree, Unreadable: g.unreadable, Missing: g.missing, Skipped: g.skipped, Aside: g.aside}
	dirty, roots := g.dirty, g.roots
	g.dirty, g.tree, g.unreadable, g.missing, g.skipped = make(map[string]struct{}), nil, nil, nil, nil
	g.mu.Unlock()
	for path := range dirty {
		if f, ok := roots.locate(path); ok && isCandidate(path) {
			u.Dirty = append(u.Dirty, f)
		}
	}
	slices.SortFunc(u.Dirty, File.Compare)
	return u
}

// isCandidate reports whether a path is a regular file or missing. Missing files matter
// too: they may have been removed.
func isCandidate(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// relBelow returns path relative to dir, or false if it is not below dir. Both are
// clean.
func relBelow(dir, path string) (string, bool) {
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator)))
	if !ok || len(rel) < 2 || !os.IsPathSeparator(rel[0]) {
		return "", false
	}
	return rel[1:], true
}
