package table

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// An Interner assigns small ids to values that repeat: 0, 1, 2 ... in the order of
// their first use. Values are never removed.
type Interner[V comparable] struct {
	row       message[V]
	buf       []byte
	values    []V // by id
	ids       map[V]uint32
	last      uint32 // 1 + the id returned last, which is likely to be requested next
	committed int    // number of values at the last commit
}

// NewInterner adds an interner to a set, or to no set if its values are not saved. Code
// describes a value.
func NewInterner[V comparable](s *Set, n Number, code func(*Coder, *V)) *Interner[V] {
	t := &Interner[V]{ids: make(map[V]uint32)}
	t.row.init(code)
	if s != nil {
		s.add(n, t)
	}
	return t
}

// ID returns the id of v.
func (t *Interner[V]) ID(v V) uint32 {
	if t.last > 0 && t.values[t.last-1] == v {
		return t.last - 1
	}
	id, ok := t.ids[v]
	if !ok {
		id = uint32(len(t.values))
		t.ids[v] = id
		t.values = append(t.values, v)
	}
	t.last = id + 1
	return id
}

// Has reports whether v has an id.
func (t *Interner[V]) Has(v V) bool {
	_, ok := t.ids[v]
	return ok
}

// Value returns the value with an id.
func (t *Interner[V]) Value(id uint32) V { return t.values[id] }

// Values returns all values by id. They must not be changed.
func (t *Interner[V]) Values() []V { return t.values }

// Len returns the number of values.
func (t *Interner[V]) Len() int { return len(t.values) }

func (t *Interner[V]) swap()   {} // the rows of other tables do not have the new ids
func (t *Interner[V]) commit() { t.committed = len(t.values) }

// Clear removes all values of an interner that is not saved.
func (t *Interner[V]) Clear() { t.clear() }

func (t *Interner[V]) clear() {
	t.values, t.ids, t.last, t.committed = nil, make(map[V]uint32), 0, 0
}

func (t *Interner[V]) appendRows(b []byte) []byte    { return t.appendFrom(b, 0) }
func (t *Interner[V]) appendChanges(b []byte) []byte { return t.appendFrom(b, t.committed) }

// appendFrom appends the values from an id on, each with its size first.
func (t *Interner[V]) appendFrom(b []byte, id int) []byte {
	for _, v := range t.values[id:] {
		t.buf = t.row.append(t.buf[:0], v)
		b = protowire.AppendBytes(b, t.buf)
	}
	return b
}

func (t *Interner[V]) load(b []byte) error {
	t.clear()
	return t.apply(b)
}

func (t *Interner[V]) apply(b []byte) error {
	err := applyValues(b, t.addEncoded)
	t.commit()
	return err
}

func (t *Interner[V]) split(b []byte, visit func(Entry)) error {
	return applyValues(b, func(value []byte) error { visit(Entry{Patch: value}); return nil })
}

// applyValues calls add for each value of b.
func applyValues(b []byte, add func(value []byte) error) error {
	for len(b) > 0 {
		value, size := protowire.ConsumeBytes(b)
		if size < 0 {
			return ErrCorrupt
		}
		if err := add(value); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

func (t *Interner[V]) addEncoded(value []byte) error {
	v, err := t.row.decode(value)
	if err == nil && t.Has(v) { // otherwise a value would have two ids
		err = ErrCorrupt
	}
	if err == nil {
		t.ID(v)
	}
	return err
}
