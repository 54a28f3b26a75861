package table

import "iter"

// A compactMap is a sorted map. Keys are uniformly distributed, so a key is its own
// hash: the position of its home slot among the slots is its position in the key space,
// scaled. If that slot is taken, larger keys move to the next slots. So a lookup is one
// multiplication and a few steps, iteration needs no sorting, and while it grows, at
// most a third of the slots are free. Values do not move: a slot has the position of
// its value in a list of chunks. The zero compactMap is empty.
type compactMap[V any] struct {
	index
	chunks [][]V // of chunkSize values; the last chunk may have fewer
}

// chunkSize is the number of values that are allocated together.
const chunkSize = 1 << 8

// Get returns the value of a key, if any.
func (m *compactMap[V]) Get(k Hash) (v V, ok bool) {
	position, ok := m.find(k)
	if ok {
		v = *m.value(position)
	}
	return v, ok
}

func (m *compactMap[V]) value(position uint32) *V {
	return &m.chunks[position/chunkSize][position%chunkSize]
}

// Put sets the value of a key.
func (m *compactMap[V]) Put(k Hash, v V) {
	position, exists := m.find(k)
	if !exists {
		position, exists = m.add(k)
	}
	if exists {
		*m.value(position) = v
		return
	}
	if position%chunkSize == 0 {
		m.chunks = append(m.chunks, make([]V, 0, chunkSize))
	}
	last := &m.chunks[len(m.chunks)-1]
	*last = append(*last, v)
}

// Delete deletes a key, if it exists.
func (m *compactMap[V]) Delete(k Hash) {
	if position, ok := m.remove(k); ok {
		*m.value(position) = *new(V)
	}
}

// Reset removes all keys and makes room for n keys.
func (m *compactMap[V]) Reset(n int) { *m = compactMap[V]{index: newIndex(n)} }

// Shrink frees memory if many keys were deleted.
func (m *compactMap[V]) Shrink() {
	if len(m.free) <= max(chunkSize, m.n) {
		return
	}
	var kept compactMap[V]
	kept.Reset(m.n)
	for k, v := range m.All() {
		kept.Put(k, v)
	}
	*m = kept
}

// All iterates over the entries in the order of their keys. The map must not be changed
// during the iteration.
func (m *compactMap[V]) All() iter.Seq2[Hash, V] {
	return func(yield func(Hash, V) bool) {
		for i, k := range m.keys {
			if k != 0 && !yield(k, *m.value(m.positions[i])) {
				return
			}
		}
	}
}
