package table

import (
	"iter"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Table is a map from a key to a row.
type Table[K comparable, V any] struct {
	set     *Set
	key     Key[K]
	row     message[V]
	rows    rows[K, V]
	changes map[K]change[V]
	keys    []K // buffer
	buffers buffers
}

// A change is a changed row as it was at the last commit.
type change[V any] struct {
	row     V
	existed bool
}

// rows are the rows of a table in memory.
type rows[K comparable, V any] interface {
	Len() int
	Get(k K) (V, bool)
	Put(k K, v V)
	All() iter.Seq2[K, V]
	// DeleteFunc may call del more than once for a row.
	DeleteFunc(del func(K, V) bool)
	remove(keys []K)
	rewrite(f func(*V))
	Shrink()
}

// New adds a table to a set. Code describes a row.
func New[K comparable, V any](s *Set, n codec.Number, key Key[K], code func(*codec.Coder, *V)) *Table[K, V] {
	return newTable(s, n, key, rows[K, V](make(plain[K, V])), code)
}

// NewHashed adds a table of which there may be very many rows, and whose keys are
// uniformly distributed.
func NewHashed[V any](s *Set, n codec.Number, code func(*codec.Coder, *V)) *Table[compactmap.Key, V] {
	return newTable(s, n, hashKey(), rows[compactmap.Key, V](new(hashed[V])), code)
}

func newTable[K comparable, V any](s *Set, n codec.Number, key Key[K], all rows[K, V], code func(*codec.Coder, *V)) *Table[K, V] {
	t := &Table[K, V]{set: s, key: key, row: message[V]{code: code}, rows: all, changes: make(map[K]change[V])}
	s.add(n, t)
	return t
}

// Len returns the number of rows.
func (t *Table[K, V]) Len() int { return t.rows.Len() }

// Get returns the row of a key, if it has one.
func (t *Table[K, V]) Get(k K) (V, bool) { return t.rows.Get(k) }

// Has reports whether a key has a row.
func (t *Table[K, V]) Has(k K) bool {
	_, ok := t.rows.Get(k)
	return ok
}

// All visits the rows, in no particular order. The table must not be changed meanwhile.
func (t *Table[K, V]) All() iter.Seq2[K, V] { return t.rows.All() }

// Put sets the row of a key.
func (t *Table[K, V]) Put(k K, v V) {
	t.note(k)
	t.rows.Put(k, v)
}

// Delete removes the row of a key, if it has one.
func (t *Table[K, V]) Delete(k K) {
	t.note(k)
	t.keys = append(t.keys[:0], k)
	t.rows.remove(t.keys)
}

// DeleteFunc removes the rows for which del returns true. It may call del more than
// once for a row.
func (t *Table[K, V]) DeleteFunc(del func(K, V) bool) {
	if !t.set.recording {
		t.rows.DeleteFunc(del)
		return
	}
	t.rows.DeleteFunc(func(k K, v V) bool {
		deleted := del(k, v)
		if deleted {
			t.noteAs(k, change[V]{v, true})
		}
		return deleted
	})
}

// Shrink frees memory after many rows were deleted.
func (t *Table[K, V]) Shrink() { t.rows.Shrink() }

// Rewrite changes how rows are represented, but not their encoding. No change may be
// pending.
func (t *Table[K, V]) Rewrite(f func(*V)) { t.rows.rewrite(f) }

// note records what a row was at the last commit, before the row changes.
func (t *Table[K, V]) note(k K) {
	if !t.set.recording {
		return
	}
	if _, again := t.changes[k]; !again {
		row, exists := t.rows.Get(k)
		t.changes[k] = change[V]{row, exists}
	}
}

func (t *Table[K, V]) noteAs(k K, c change[V]) {
	if _, again := t.changes[k]; !again {
		t.changes[k] = c
	}
}

// manyChanges is the number of changes above which commit frees their memory: clearing
// a map takes time in proportion to the most entries that it has had.
const manyChanges = 1 << 8

func (t *Table[K, V]) commit() {
	if len(t.changes) > manyChanges {
		t.changes, t.keys, t.buffers = make(map[K]change[V]), nil, buffers{}
		return
	}
	clear(t.changes)
}

func (t *Table[K, V]) clear() {
	t.rows.DeleteFunc(func(K, V) bool { return true })
	clear(t.changes)
}

func (t *Table[K, V]) swap() {
	t.keys = t.keys[:0]
	for k, before := range t.changes {
		now, exists := t.rows.Get(k)
		t.changes[k] = change[V]{now, exists}
		switch {
		case before.existed:
			t.rows.Put(k, before.row)
		case exists:
			t.keys = append(t.keys, k)
		}
	}
	t.rows.remove(t.keys)
}
