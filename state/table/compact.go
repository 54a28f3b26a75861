package table

import (
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Compact is a Table with up to millions of rows of a few bytes each. Their keys are
// uniformly distributed. Deleting takes time in proportion to the number of all rows.
type Compact[V compactmap.Value[V]] struct {
	*Table[compactmap.Key, V]
	m     *compact[V]
	valid func(V) bool
}

// NewCompact adds a compact table to a set. A reader fails if a row is not valid; nil
// accepts any.
func NewCompact[V compactmap.Value[V]](s *Set, n codec.Number, valid func(V) bool) *Compact[V] {
	m := new(compact[V])
	t := &Compact[V]{newTable(s, compactKey(), row[V](value[V]{valid}), m), m, valid}
	s.add(n, t)
	return t
}

// Add sets the row of a key that has none.
func (t *Compact[V]) Add(k compactmap.Key, v V) {
	if t.set.recording {
		t.noteAs(k, change[V]{})
	}
	t.m.Add(k, v)
}

// Set replaces the row of a key that has one.
func (t *Compact[V]) Set(k compactmap.Key, v V) {
	t.note(k)
	t.m.Set(k, v)
}

// Compact compacts the rows in memory if many were added.
func (t *Compact[V]) Compact() { t.m.Compact() }

// Shrink frees memory that Compact keeps for more rows.
func (t *Compact[V]) Shrink() { t.m.Shrink() }

// SizeHint returns about how many bytes the rows take in a snapshot.
func (t *Compact[V]) SizeHint() int { return t.m.SizeHint() }

// codeRows writes or reads the memory of the map.
func (t *Compact[V]) codeRows(c *codec.Coder) { t.m.Code(c, t.valid) }

// compact are rows in a [compactmap.Map].
type compact[V compactmap.Value[V]] struct{ compactmap.Map[V] }

func (m *compact[V]) remove(keys []compactmap.Key) {
	if len(keys) == 0 {
		return
	}
	gone := make(map[compactmap.Key]struct{}, len(keys))
	for _, k := range keys {
		gone[k] = struct{}{}
	}
	m.DeleteFunc(func(k compactmap.Key, _ V) bool {
		_, ok := gone[k]
		return ok
	})
}

// value is the encoding of rows of a compact table.
type value[V compactmap.Value[V]] struct{ valid func(V) bool }

func (value[V]) patched() bool { return false }

func (value[V]) append(b []byte, v V) []byte { return v.Append(b) }

func (r value[V]) decode(b []byte) (v V, err error) {
	v, size := v.Decode(b)
	if size == 0 || size != len(b) || r.valid != nil && !r.valid(v) {
		return v, codec.ErrCorrupt
	}
	return v, nil
}
