package ledger

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// fileGroups is a union-find of files. Files that hold the same things are in one
// group: a fork and its parent, a file and its copy. A dedup key is kept with the
// file that had it first, until all files of that file's group are gone, since each
// of them could repeat it.
//
// Union by size and path compression keep a look-up short in whatever order the files
// are joined, which the files decide. Which file is the root of a group follows from
// the joins alone.
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

// find returns the root of f and compresses no path.
func (g *fileGroups) find(f FileID) FileID {
	for {
		parent, ok := g.parent[f]
		if !ok {
			return f
		}
		f = parent
	}
}

// join makes one group of those of two files.
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

// keep drops the groups whose roots are not in living.
func (g *fileGroups) retain(living map[FileID]struct{}) {
	g.parent = g.flat() // or a file would lose the way to its root
	maps.DeleteFunc(g.parent, func(_, root FileID) bool {
		_, lives := living[root]
		return !lives
	})
	maps.DeleteFunc(g.size, func(root FileID, _ uint32) bool {
		_, lives := living[root]
		return !lives
	})
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
// not roots, and their roots. How paths are compressed is left out: it changes how long
// a look-up takes, and no result.
func (g *fileGroups) code(c *codec.Coder, first codec.Number) {
	roots := g.flat()
	files := slices.Sorted(maps.Keys(roots))
	of := make([]FileID, len(files))
	for i, f := range files {
		of[i] = roots[f]
	}
	codec.Uints(c, first, &files)
	codec.Uints(c, first+1, &of)
	if !c.Reading() {
		return
	}
	if *g = newFileGroups(); len(files) != len(of) {
		c.Fail()
		return
	}
	for i, f := range files {
		if i > 0 && f <= files[i-1] {
			c.Fail()
		}
		g.parent[f] = of[i]
		g.size[of[i]] = max(1, g.size[of[i]]) + 1
	}
	for _, root := range of {
		if _, nested := g.parent[root]; nested { // a path that may have no end
			c.Fail()
		}
	}
}

// Layout implements [compactmap.Value]: a FileID is also the value of a dedup key that
// has no other data, the file that had it first.
func (FileID) Layout() uint32 { return 1 }

// Varints implements [compactmap.Value].
func (FileID) Varints(byte) int { return 1 }

// Append implements [compactmap.Value].
func (f FileID) Append(b []byte) []byte { return binary.AppendUvarint(b, uint64(f)) }

// Decode implements [compactmap.Value].
func (FileID) Decode(b []byte) (FileID, int) {
	d := compactmap.NewDecoder(b)
	f := FileID(d.Uint(math.MaxUint32)) //nolint:gosec // at most as much
	return f, d.Size()
}

// first notes that a thing of a kind was seen in f, and reports whether that was
// the first time.
func (l *Ledger) first(kind int, k transcript.Key, f FileID) bool {
	seen, key := &l.seen[kind], hashOf(k)
	before, again := seen.Get(key)
	if again {
		l.groups.join(before, f)
	} else {
		seen.Add(key, f)
	}
	return !again
}

// has reports whether a thing of a kind was seen. If so, f holds it too.
func (l *Ledger) has(kind int, k transcript.Key, f FileID) bool {
	before, seen := l.seen[kind].Get(hashOf(k))
	if seen {
		l.groups.join(before, f)
	}
	return seen
}

// forget drops the keys that no file the ledger knows could repeat.
func (l *Ledger) forget() {
	living := make(map[FileID]struct{}, len(l.files))
	for f := range l.files {
		living[l.groups.root(f)] = struct{}{}
	}
	gone := func(f FileID) bool {
		_, lives := living[l.groups.root(f)]
		return !lives
	}
	for i := range l.seen {
		l.seen[i].DeleteFunc(gone)
	}
	l.copies.retain(func(agent hash64) bool {
		_, known := l.seen[seenSubagent].Get(agent)
		return known
	})
	l.tools.DeleteFunc(func(t toolCall) bool { return gone(t.file) })
	l.counted.DeleteFunc(func(m countedMessage) bool { return gone(m.file) })
	l.reported.DeleteFunc(func(r reportedUsage) bool { return gone(r.file) })
	l.usage.DeleteFunc(func(u sessionUsage) bool { return gone(u.file) })
	l.groups.retain(living)
}
