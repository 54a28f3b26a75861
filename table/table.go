package table

import "iter"

// A Table is a map from a key to a row.
type Table[K comparable, V any] struct {
	set     *Set
	key     Key[K]
	row     message[V]
	rows    rows[K, V]
	entries *entries
}

// rows are the rows of a table in memory: plain, numbered, groups or a compactMap.
type rows[K comparable, V any] interface {
	Len() int
	Get(k K) (V, bool)
	Put(k K, v V)
	Delete(k K)
	All() iter.Seq2[K, V]
	Reset(n int)
	Shrink()
}

// New adds a table to a set. Code describes a row.
func New[K comparable, V any](s *Set, n Number, key Key[K], code func(*Coder, *V)) *Table[K, V] {
	return newTable(s, n, key, rows[K, V](new(plain[K, V])), code)
}

// NewNumbered adds a table that may have very many rows, and whose keys are numbers
// given in order.
func NewNumbered[K ~uint32 | ~uint64, V any](s *Set, n Number, code func(*Coder, *V)) *Table[K, V] {
	return newTable(s, n, UintKey[K](), rows[K, V](new(numbered[K, V])), code)
}

// NewHashed adds a table that may have very many rows, and whose keys are uniformly
// distributed.
func NewHashed[V any](s *Set, n Number, code func(*Coder, *V)) *Table[Hash, V] {
	return newTable(s, n, compactKey(), rows[Hash, V](new(compactMap[V])), code)
}

func newTable[K comparable, V any](s *Set, n Number, key Key[K], all rows[K, V], code func(*Coder, *V)) *Table[K, V] {
	t := &Table[K, V]{set: s, key: key, rows: all}
	t.row.init(code)
	t.entries = newEntries(t)
	s.add(n, t.entries)
	return t
}

// Len returns the number of rows.
func (t *Table[K, V]) Len() int { return t.rows.Len() }

// Get returns the row of a key, if any.
func (t *Table[K, V]) Get(k K) (V, bool) { return t.rows.Get(k) }

// Has reports whether a key has a row.
func (t *Table[K, V]) Has(k K) bool {
	_, ok := t.rows.Get(k)
	return ok
}

// All visits the rows, in no particular order. The table must not be changed until
// it ends.
func (t *Table[K, V]) All() iter.Seq2[K, V] { return t.rows.All() }

// Put sets the row of a key.
func (t *Table[K, V]) Put(k K, v V) {
	t.note(k)
	t.rows.Put(k, v)
}

// Delete removes the row of a key, if any.
func (t *Table[K, V]) Delete(k K) {
	if !t.Has(k) {
		return
	}
	t.note(k)
	t.rows.Delete(k)
}

// DeleteFunc removes the rows that del selects. It is not a method, because methods are
// compiled for all tables.
func DeleteFunc[K comparable, V any](t *Table[K, V], del func(K, V) bool) {
	var gone []K
	for k, v := range t.All() {
		if del(k, v) {
			gone = append(gone, k)
		}
	}
	for _, k := range gone {
		t.Delete(k)
	}
	t.Shrink()
}

// Shrink frees memory after many rows were deleted.
func (t *Table[K, V]) Shrink() { t.rows.Shrink() }

// Rewrite changes how rows are represented, but not their encoding. No change may be
// pending.
func Rewrite[K comparable, V any](t *Table[K, V], f func(*V)) {
	for k, v := range t.All() {
		f(&v)
		t.rows.Put(k, v)
	}
}

// note records a row at the last commit, before the row changes.
func (t *Table[K, V]) note(k K) {
	if t.set.recording {
		t.entries.nextKey = t.key.append(t.entries.nextKey[:0], k)
		t.entries.note(t.entries.nextKey)
	}
}
