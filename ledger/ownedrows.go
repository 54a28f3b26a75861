package ledger

import "github.com/ccwatchd/ccwatchd/table"

// ownedRows are the rows of a table that belong to files.
type ownedRows struct {
	len   func() int
	count func(rows map[FileID]int)    // adds the number of rows of each file
	drop  func(gone func(FileID) bool) // nil if finalize and forget of a part drop the rows
}

// owned adds a table of rows that belong to files. A row is dropped when no file in the
// group of its file is known, or if the source of its file has too many rows.
func owned[V any](c *core, n table.Number, code func(*table.Coder, *V), owner func(V) FileID) *table.Table[hash64, V] {
	t := table.NewHashed(c.tables, n, code)
	countOwned(c, t, func(_ hash64, v V) FileID { return owner(v) })
	c.owned[len(c.owned)-1].drop = func(gone func(FileID) bool) {
		table.DeleteFunc(t, func(_ hash64, v V) bool { return gone(owner(v)) })
	}
	return t
}

// countOwned adds a table whose rows count as rows of a file, but that a part drops.
func countOwned[K comparable, V any](c *core, t *table.Table[K, V], owner func(K, V) FileID) {
	c.owned = append(c.owned, ownedRows{len: t.Len, count: func(rows map[FileID]int) {
		for k, v := range t.All() {
			rows[owner(k, v)]++
		}
	}})
}

// dropUnknown drops the rows that no known file could repeat.
func (c *core) dropUnknown() {
	rootOf := c.groups.rootOf()
	known := make(map[FileID]bool, c.files.Len())
	for f := range c.files.All() {
		known[rootOf(f)] = true
	}
	c.drop(func(f FileID) bool { return !known[rootOf(f)] })
}

// drop drops the rows of the files for which gone returns true.
func (c *core) drop(gone func(FileID) bool) {
	for _, t := range c.owned {
		if t.drop != nil {
			t.drop(gone)
		}
	}
	c.groups.drop(gone)
}
