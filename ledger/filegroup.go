package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/table"
)

// fileGroups is a union-find of files. Files that share a dedup key are in one group: a
// fork and its parent, a file and its copy. A dedup key is kept with the file that had
// it first, until all files of its group have been forgotten, since each of them could
// repeat it.
//
// Union by size keeps paths short in whatever order the contents of the files join
// them. The root of a group depends only on the order of the joins.
type fileGroups struct {
	parents *table.Table[FileID, FileID] // of every file that is not a root
	size    map[FileID]uint32            // by root, of the groups of several files; derived from parents
}

func newFileGroups(s *table.Set) fileGroups {
	return fileGroups{
		parents: table.New(s, tableGroups, table.UintKey[FileID](), func(c *table.Coder, parent *FileID) { table.Uint(c, 1, parent) }),
		size:    make(map[FileID]uint32),
	}
}

// root returns the root of the group of f.
func (g *fileGroups) root(f FileID) FileID {
	for {
		parent, ok := g.parents.Get(f)
		if !ok {
			return f
		}
		f = parent
	}
}

// join merges the groups of two files.
func (g *fileGroups) join(a, b FileID) {
	if a == b {
		return
	}
	if a, b = g.root(a), g.root(b); a == b {
		return
	}
	m, n := max(1, g.size[a]), max(1, g.size[b])
	if m < n || m == n && a > b {
		a, b = b, a
	}
	g.parents.Put(b, a)
	g.size[a] = m + n
	delete(g.size, b)
}

// drop removes files for which gone returns true. The other files of a group stay a
// group: a file whose parent is removed gets the root, or its successor, as parent.
func (g *fileGroups) drop(gone func(FileID) bool) {
	rootOf, successors := g.rootOf(), make(map[FileID]FileID) // of removed roots
	var orphans []FileID
	for f, parent := range g.parents.All() {
		if gone(f) || !gone(parent) {
			continue
		}
		orphans = append(orphans, f)
		if root := rootOf(f); gone(root) && (successors[root] == 0 || f < successors[root]) {
			successors[root] = f
		}
	}
	for _, f := range orphans {
		switch root := cmp.Or(successors[rootOf(f)], rootOf(f)); root {
		case f:
			g.parents.Delete(f)
		default:
			g.parents.Put(f, root)
		}
	}
	table.DeleteFunc(g.parents, func(f, _ FileID) bool { return gone(f) })
	g.reindex()
}

// rootOf returns a fast variant of root, until groups change.
func (g *fileGroups) rootOf() func(FileID) FileID {
	roots := g.flat()
	return func(f FileID) FileID {
		if root, ok := roots[f]; ok {
			return root
		}
		return f
	}
}

// flat returns the root of every file that is not a root.
func (g *fileGroups) flat() map[FileID]FileID {
	roots := make(map[FileID]FileID, g.parents.Len())
	for f := range g.parents.All() {
		roots[f] = g.root(f)
	}
	return roots
}

// reindex rebuilds the sizes. It returns false if some path does not end.
func (g *fileGroups) reindex() bool {
	clear(g.size)
	for f := range g.parents.All() {
		steps := 0
		for parent, ok := g.parents.Get(f); ok; parent, ok = g.parents.Get(parent) {
			if steps++; steps > g.parents.Len() {
				return false
			}
		}
	}
	for _, root := range g.flat() {
		g.size[root] = max(1, g.size[root]) + 1
	}
	return true
}
