package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// fileGroups is a union-find of files. Files that share a dedup key are in one group: a
// fork and its parent, a file and its copy. A dedup key is kept with the file that had
// it first, until all files of its group have been forgotten, since each of them could
// repeat it.
//
// Union by size and path compression keep paths short in whatever order the contents of
// the files join them. Which file is the root of a group follows from the joins alone.
type fileGroups struct {
	parent map[FileID]FileID // of every file that is not a root
	size   map[FileID]uint32 // by root, of the groups of several files
}

func newFileGroups() fileGroups {
	return fileGroups{parent: make(map[FileID]FileID), size: make(map[FileID]uint32)}
}

// root returns the root of the group of f.
func (g *fileGroups) root(f FileID) FileID {
	root := g.find(f)
	for f != root {
		f, g.parent[f] = g.parent[f], root
	}
	return root
}

// find is root without path compression.
func (g *fileGroups) find(f FileID) FileID {
	for {
		parent, ok := g.parent[f]
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
	g.parent[b], g.size[a] = a, m+n
	delete(g.size, b)
}

// retain drops the groups whose roots are not in roots.
func (g *fileGroups) retain(roots map[FileID]bool) {
	g.parent = g.flat() // or a file would lose the path to its root
	maps.DeleteFunc(g.parent, func(_, root FileID) bool { return !roots[root] })
	maps.DeleteFunc(g.size, func(root FileID, _ uint32) bool { return !roots[root] })
}

// flat returns the root of every file that is not one.
func (g *fileGroups) flat() map[FileID]FileID {
	roots := make(map[FileID]FileID, len(g.parent))
	for f := range g.parent {
		roots[f] = g.find(f)
	}
	return roots
}

// code visits two fields, of which the first has the given number: the files that are
// not roots, and their roots. It omits how paths are compressed, which only changes
// the time that root takes.
func (g *fileGroups) code(c *codec.Coder, first codec.Number) {
	flat := g.flat()
	files := slices.Sorted(maps.Keys(flat))
	roots := make([]FileID, len(files))
	for i, f := range files {
		roots[i] = flat[f]
	}
	codec.Uints(c, first, &files)
	codec.Uints(c, first+1, &roots)
	if !c.Reading() {
		return
	}
	if *g = newFileGroups(); len(files) != len(roots) {
		c.Fail()
		return
	}
	for i, f := range files {
		if i > 0 && f <= files[i-1] {
			c.Fail()
		}
		g.parent[f] = roots[i]
		g.size[roots[i]] = max(1, g.size[roots[i]]) + 1
	}
	for _, root := range roots {
		if _, nested := g.parent[root]; nested { // a path that may not end
			c.Fail()
		}
	}
}
