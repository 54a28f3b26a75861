package table

import (
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Compact is a Table with up to millions of rows of a few bytes each. Their keys are
// uniformly distributed.
type Compact[V compactmap.Value[V]] struct {
	*Table[compactmap.Key, V]
	m     compactmap.Map[V]
	valid func(V) bool
}

// NewCompact adds a compact table to a set. A reader fails if a row is not valid; nil
// accepts any.
func NewCompact[V compactmap.Value[V]](s *Set, n codec.Number, valid func(V) bool) *Compact[V] {
	t := &Compact[V]{valid: valid}
	t.Table = &Table[compactmap.Key, V]{
		set: s, n: n, key: Hash[compactmap.Key](), row: value[V]{}, rows: &t.m,
		changes: make(map[compactmap.Key]change[V]),
	}
	s.add(t)
	return t
}

// Add sets the row of a key that has none.
func (t *Compact[V]) Add(k compactmap.Key, v V) {
	if t.set.recording {
		t.note(k)
	}
	t.m.Add(k, v)
}

// Set replaces the row of a key that has one.
func (t *Compact[V]) Set(k compactmap.Key, v V) {
	if t.set.recording {
		t.note(k)
	}
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

// value is the encoding of rows of a compact table.
type value[V compactmap.Value[V]] struct{}

func (value[V]) patched() bool { return false }

func (value[V]) append(b []byte, v *V) []byte { return (*v).Append(b) }

func (value[V]) decode(b []byte) (v V, err error) {
	v, size := v.Decode(b)
	if size != len(b) {
		return v, codec.ErrCorrupt
	}
	return v, nil
}
