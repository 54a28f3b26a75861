package table

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Table is a map from a key to a row.
type Table[K comparable, V any] struct {
	set     *Set
	n       codec.Number
	key     Key[K]
	row     row[V]
	rows    rows[K, V]
	changes map[K]change[V]
	keys    []K       // buffer for the changed keys
	buffers [2][]byte // for rows that are encoded
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
	DeleteFunc(del func(K, V) bool)
	All() iter.Seq2[K, V]
}

// A row is the encoding of rows.
type row[V any] interface {
	append(b []byte, v *V) []byte
	decode(b []byte) (V, error)
	// patched is whether the encoding is a message, of which changed fields are enough.
	patched() bool
}

// New adds a table to a set. Code describes a row.
func New[K comparable, V any](s *Set, n codec.Number, key Key[K], code func(*codec.Coder, *V)) *Table[K, V] {
	return newTable(s, n, key, &message[V]{code: code}, make(plain[K, V]))
}

func newTable[K comparable, V any](s *Set, n codec.Number, key Key[K], r row[V], all rows[K, V]) *Table[K, V] {
	t := &Table[K, V]{set: s, n: n, key: key, row: r, rows: all, changes: make(map[K]change[V])}
	s.add(t)
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

// Put sets the row of a key.
func (t *Table[K, V]) Put(k K, v V) {
	if t.set.recording {
		t.note(k)
	}
	t.rows.Put(k, v)
}

// Delete removes the row of a key, if it has one.
func (t *Table[K, V]) Delete(k K) {
	if t.set.recording {
		t.note(k)
	}
	t.delete(k)
}

// DeleteFunc removes the rows for which del returns true.
func (t *Table[K, V]) DeleteFunc(del func(K, V) bool) {
	if t.set.recording {
		for k, v := range t.rows.All() {
			if del(k, v) {
				t.note(k)
			}
		}
	}
	t.rows.DeleteFunc(del)
}

// All visits the rows, in no particular order. The table must not be changed meanwhile.
func (t *Table[K, V]) All() iter.Seq2[K, V] { return t.rows.All() }

// note remembers what a row was at the last commit.
func (t *Table[K, V]) note(k K) {
	if _, again := t.changes[k]; !again {
		before, existed := t.rows.Get(k)
		t.changes[k] = change[V]{before, existed}
	}
}

func (t *Table[K, V]) delete(k K) {
	if p, ok := t.rows.(interface{ Delete(k K) }); ok {
		p.Delete(k)
		return
	}
	t.rows.DeleteFunc(func(other K, _ V) bool { return other == k })
}

func (t *Table[K, V]) number() codec.Number { return t.n }

func (t *Table[K, V]) commit() { clear(t.changes) }

func (t *Table[K, V]) clear() {
	t.rows.DeleteFunc(func(K, V) bool { return true })
	clear(t.changes)
}

func (t *Table[K, V]) swap() {
	for k, before := range t.changes {
		now, exists := t.rows.Get(k)
		t.changes[k] = change[V]{now, exists}
		if before.existed {
			t.rows.Put(k, before.row)
		} else {
			t.delete(k)
		}
	}
}

func (t *Table[K, V]) appendRows(b []byte) []byte {
	t.keys = t.keys[:0]
	for k := range t.rows.All() {
		t.keys = append(t.keys, k)
	}
	slices.SortFunc(t.keys, t.key.compare)
	for _, k := range t.keys {
		b = t.appendEntry(b, k, change[V]{})
	}
	t.keys = nil // there may be many
	return b
}

func (t *Table[K, V]) appendChanges(b []byte) []byte {
	if len(t.changes) == 0 {
		return b
	}
	t.keys = t.keys[:0]
	for k := range t.changes {
		t.keys = append(t.keys, k)
	}
	slices.SortFunc(t.keys, t.key.compare)
	for _, k := range t.keys {
		b = t.appendEntry(b, k, t.changes[k])
	}
	return b
}

// appendEntry appends the difference between a row and what it was before.
func (t *Table[K, V]) appendEntry(b []byte, k K, before change[V]) []byte {
	now, exists := t.rows.Get(k)
	old, patch := t.buffers[0][:0], t.buffers[1][:0]
	switch {
	case !exists && !before.existed:
		return b
	case !exists:
		b = binary.AppendUvarint(b, 1)
		return t.key.append(b, k)
	case !before.existed:
		patch = t.row.append(patch, &now)
	default:
		old, patch = t.row.append(old, &before.row), t.row.append(patch, &now)
		if slices.Equal(old, patch) {
			return b
		}
	}
	t.buffers = [2][]byte{old, patch}
	if before.existed && t.row.patched() {
		difference := codec.AppendPatch(nil, old, patch)
		b = t.key.append(binary.AppendUvarint(b, uint64(len(difference))<<1), k)
		return append(b, difference...)
	}
	b = t.key.append(binary.AppendUvarint(b, uint64(len(patch))<<1), k)
	return append(b, patch...)
}

// apply applies entries.
func (t *Table[K, V]) apply(b []byte) error {
	var removed map[K]struct{}
	for len(b) > 0 {
		head, n := binary.Uvarint(b)
		k, size := t.key.decode(b[max(n, 0):])
		if n <= 0 || size <= 0 || head>>1 > uint64(len(b)-n-size) {
			return codec.ErrCorrupt
		}
		patch := b[n+size:][:head>>1]
		b = b[n+size+len(patch):]
		if head&1 != 0 {
			if removed == nil {
				removed = make(map[K]struct{})
			}
			removed[k] = struct{}{}
			continue
		}
		if err := t.applyEntry(k, patch); err != nil {
			return err
		}
	}
	if removed != nil {
		t.rows.DeleteFunc(func(k K, _ V) bool {
			_, ok := removed[k]
			return ok
		})
	}
	return nil
}

func (t *Table[K, V]) applyEntry(k K, patch []byte) error {
	whole := patch
	if before, existed := t.rows.Get(k); existed && t.row.patched() {
		t.buffers[0] = t.row.append(t.buffers[0][:0], &before)
		var err error
		if t.buffers[1], err = codec.Patch(t.buffers[1][:0], t.buffers[0], patch); err != nil {
			return err
		}
		whole = t.buffers[1]
	}
	v, err := t.row.decode(whole)
	if err == nil {
		t.rows.Put(k, v)
	}
	return err
}
