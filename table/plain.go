package table

import (
	"iter"
	"maps"
)

// plain is a Go map that becomes smaller when most of its keys are deleted: a catch-up
// leaves many nearly empty. The zero plain is empty.
type plain[K comparable, V any] struct {
	byKey map[K]V
	most  int // the maximum number of keys of byKey
}

// minShrunk is the minimum number of keys that a map must have had to become smaller.
const minShrunk = 1 << 10

func (m *plain[K, V]) Get(k K) (V, bool) {
	v, ok := m.byKey[k]
	return v, ok
}

func (m *plain[K, V]) Put(k K, v V) {
	if m.byKey == nil {
		m.byKey = make(map[K]V)
	}
	m.byKey[k] = v
	m.most = max(m.most, len(m.byKey))
}

func (m *plain[K, V]) Delete(k K) {
	if delete(m.byKey, k); len(m.byKey) <= m.most/8 {
		m.Shrink()
	}
}

func (m *plain[K, V]) Shrink() {
	if m.most < minShrunk || len(m.byKey) > m.most/2 {
		return
	}
	kept := make(map[K]V, len(m.byKey))
	maps.Copy(kept, m.byKey)
	*m = plain[K, V]{byKey: kept, most: len(kept)}
}

func (m *plain[K, V]) Len() int { return len(m.byKey) }

func (m *plain[K, V]) All() iter.Seq2[K, V] { return maps.All(m.byKey) }

func (m *plain[K, V]) Reset(int) { *m = plain[K, V]{} }
