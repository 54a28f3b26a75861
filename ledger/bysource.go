package ledger

import (
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionID identifies a session. Every user can learn the ids of all sessions, so
// lines of one source must not speak for a session of another source: each source has a
// session of its own with an id.
type SessionID struct {
	Source SourceLabels
	ID     string
}

func (id *SessionID) hash() hash64 { return hashOf(transcript.KeyOf("session", id.ID)) }

// A sourceTable is a table of rows whose keys derive from the id of a session. Each row
// belongs to a source.
//
// The source that had a key first has its row under the key itself, as all rows of
// states before format 3. Every other source has its row under a key of its own.
type sourceTable[V any] struct {
	*table.Table[hash64, V]
	core   *core
	source func(V) SourceLabels
}

// newSourceTable adds a table whose rows belong to files, see owned, and so to the
// sources of the files.
func newSourceTable[V any](c *core, n table.Number, code func(*table.Coder, *V), owner func(V) FileID) *sourceTable[V] {
	return &sourceTable[V]{owned(c, n, code, owner), c, func(row V) SourceLabels { return c.sourceOf(owner(row)) }}
}

// find returns the row of a key in a source, and the key under which it is, or will be.
func (t *sourceTable[V]) find(key hash64, source SourceLabels) (at hash64, row V, known bool) {
	row, taken := t.Get(key)
	if taken && t.source(row) == source {
		return key, row, true
	}
	other := t.core.keyIn(key, source)
	if row, known = t.Get(other); known || taken {
		return other, row, known
	}
	return key, row, false
}

// keyIn returns the key of a row in a source, if another source had the key first.
func (c *core) keyIn(key hash64, source SourceLabels) hash64 {
	k := keyOf(key)
	return hashOf(transcript.KeyOf("source", string(source), string(k[:])))
}

// SourceOf returns the source of a file.
func (l *Ledger) SourceOf(id FileID) SourceLabels { return l.sourceOf(id) }

// sourceOf returns the source of a file. A forgotten file is of the source of its
// group: of its root, or if the root is forgotten, too, of the root's heir.
func (c *core) sourceOf(id FileID) SourceLabels {
	f, known := c.files.Get(id)
	if !known {
		root := c.groups.root(id)
		if f, known = c.files.Get(root); !known {
			f, known = c.files.Get(c.heirs[root])
		}
	}
	if !known {
		return ""
	}
	return c.attrsOf(&f).source
}

// isElsewhere reports whether a known file is of another source than the given one.
func (c *core) isElsewhere(id FileID, source SourceLabels) bool {
	f, known := c.files.Get(id)
	return known && c.attrsOf(&f).source != source
}

// findHeirs finds the first known file of each group whose root is forgotten. Only that
// files are forgotten changes the heirs: a group that joins another group has its root,
// or keeps its own.
func (c *core) findHeirs() {
	c.heirs = make(map[FileID]FileID)
	rootOf := c.groups.rootOf()
	for id := range c.files.All() {
		root := rootOf(id)
		if heir, found := c.heirs[root]; !c.files.Has(root) && (!found || id < heir) {
			c.heirs[root] = id
		}
	}
}

// inSource returns the key of something in a source, see sourceTable.
func (k *dedupKeys) inSource(key transcript.Key, source SourceLabels) transcript.Key {
	at, _, _ := k.find(hashOf(key), source)
	return keyOf(at)
}
