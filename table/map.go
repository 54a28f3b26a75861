package table

import (
	"iter"
	"maps"
)

// A Map is a Go map that becomes smaller when most of its keys are deleted: a catch-up
// leaves many nearly empty. The zero Map is empty.
type Map[K comparable, V any] struct {
	byKey map[K]V
	most  int // the maximum number of keys of byKey
}

// minShrunk is the minimum number of keys that a map must have had to become smaller.
const minShrunk = 1 << 10

// Get returns the value of a key, if any.
func (m *Map[K, V]) Get(k K) (V, bool) {
	v, ok := m.byKey[k]
	return v, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(k K, v V) {
	if m.byKey == nil {
		m.byKey = make(map[K]V)
	}
	m.byKey[k] = v
	m.most = max(m.most, len(m.byKey))
}

// Delete deletes a key, if it exists.
func (m *Map[K, V]) Delete(k K) {
	if delete(m.byKey, k); len(m.byKey) <= m.most/8 {
		m.Shrink()
	}
}

// Shrink frees memory if many keys were deleted.
func (m *Map[K, V]) Shrink() {
	if m.most < minShrunk || len(m.byKey) > m.most/2 {
		return
	}
	kept := make(map[K]V, len(m.byKey))
	maps.Copy(kept, m.byKey)
	*m = Map[K, V]{byKey: kept, most: len(kept)}
}

// Len returns the number of keys.
func (m *Map[K, V]) Len() int { return len(m.byKey) }

// All iterates over the entries. The map must not be changed during the iteration.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return maps.All(m.byKey) }

// Reset removes all keys.
func (m *Map[K, V]) Reset(int) { *m = Map[K, V]{} }
