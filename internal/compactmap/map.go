package compactmap

import (
	"iter"
	"math/bits"
)

// A Key is a uniformly distributed number other than 0, such as a hash.
type Key uint64

// A Map is a sorted map. Since keys are uniformly distributed, a key is its own hash:
// the home slot of a key is at the same fraction of the slots as the key is of the key
// space. If that slot is taken, larger keys move to the next slots. So a lookup is one
// multiplication and a few steps, iteration needs no sorting, and while it grows, at
// most a third of the slots are free. Values do not move: a slot has the position of
// its value in a list of chunks. The zero Map is empty.
type Map[V any] struct {
	keys      []Key    // 0 where a slot is free; the last one is, so every search ends
	positions []uint32 // positions of the values
	homes     int      // number of slots that are the home of some key
	n         int

	chunks [][]V    // of chunkSize values, except for the last one
	free   []uint32 // positions of deleted values
}

const (
	// chunkSize is the number of values that are allocated together.
	chunkSize = 1 << 8
	minHomes  = 16
	// overhang is the number of slots after the homes, which grows by as many.
	// With random keys it never has to, for any number of homes.
	overhang = 64
)

// Len returns the number of keys.
func (m *Map[V]) Len() int { return m.n }

func (m *Map[V]) home(k Key) int {
	at, _ := bits.Mul64(uint64(k), uint64(m.homes)) //nolint:gosec // not negative
	return int(at)                                  //nolint:gosec // less than homes
}

// search returns the index of a key, or the index at which to insert it.
func (m *Map[V]) search(k Key) (at int, found bool) {
	if m.homes == 0 {
		return 0, false
	}
	at = m.home(k)
	for m.keys[at] < k && m.keys[at] != 0 {
		at++
	}
	return at, m.keys[at] == k
}

// Get returns the value of a key, if it has one.
func (m *Map[V]) Get(k Key) (v V, ok bool) {
	at, ok := m.search(k)
	if ok {
		v = *m.value(m.positions[at])
	}
	return v, ok
}

func (m *Map[V]) value(position uint32) *V { return &m.chunks[position/chunkSize][position%chunkSize] }

// store adds a value, and returns its position.
func (m *Map[V]) store(v V) (position uint32) {
	if last := len(m.free) - 1; last >= 0 {
		position, m.free = m.free[last], m.free[:last]
		*m.value(position) = v
		return position
	}
	if m.n%chunkSize == 0 { // no value is free, so all chunks are full
		m.chunks = append(m.chunks, make([]V, 0, chunkSize))
	}
	last := &m.chunks[len(m.chunks)-1]
	*last = append(*last, v)
	return uint32(m.n) //nolint:gosec // far fewer
}

// Put sets the value of a key.
func (m *Map[V]) Put(k Key, v V) {
	at, ok := m.search(k)
	if ok {
		*m.value(m.positions[at]) = v
		return
	}
	if m.n+1 > m.homes*7/8 {
		m.resize(max(minHomes, m.homes*7/6))
		at, _ = m.search(k)
	}
	position := m.store(v)
	m.n++
	free := at
	for m.keys[free] != 0 {
		free++
	}
	if free == len(m.keys)-1 {
		m.extend()
	}
	copy(m.keys[at+1:free+1], m.keys[at:free])
	copy(m.positions[at+1:free+1], m.positions[at:free])
	m.keys[at], m.positions[at] = k, position
}

// extend adds free slots at the end.
func (m *Map[V]) extend() {
	m.keys = append(m.keys, make([]Key, overhang)...)
	m.positions = append(m.positions, make([]uint32, overhang)...)
}

// Delete deletes a key, if it exists.
func (m *Map[V]) Delete(k Key) {
	at, ok := m.search(k)
	if !ok {
		return
	}
	*m.value(m.positions[at]) = *new(V)
	m.free = append(m.free, m.positions[at])
	// Move following entries that are not at their home back.
	end := at + 1
	for m.keys[end] != 0 && m.home(m.keys[end]) < end {
		end++
	}
	copy(m.keys[at:end-1], m.keys[at+1:end])
	copy(m.positions[at:end-1], m.positions[at+1:end])
	m.keys[end-1] = 0
	m.n--
}

// Reset removes all keys and makes room for n. Without it, keys that are added in order
// would crowd in a part of the slots.
func (m *Map[V]) Reset(n int) {
	*m = Map[V]{}
	if n > 0 {
		m.resize(max(minHomes, n*6/5))
	}
}

// resize changes the number of homes.
func (m *Map[V]) resize(homes int) {
	keys, positions := m.keys, m.positions
	slots := homes + min(homes, overhang)
	m.homes, m.keys, m.positions = homes, make([]Key, slots), make([]uint32, slots)
	at := 0
	for i, k := range keys {
		if k == 0 {
			continue
		}
		at = max(at, m.home(k))
		if at == len(m.keys)-1 {
			m.extend()
		}
		m.keys[at], m.positions[at] = k, positions[i]
		at++
	}
}

// Shrink frees memory if many keys were deleted.
func (m *Map[V]) Shrink() {
	if len(m.free) <= max(chunkSize, m.n) {
		return
	}
	var kept Map[V]
	kept.resize(max(minHomes, m.n*6/5))
	for k, v := range m.All() {
		kept.Put(k, v)
	}
	*m = kept
}

// All iterates over the entries in the order of their keys. The map must not be changed
// during the iteration.
func (m *Map[V]) All() iter.Seq2[Key, V] {
	return func(yield func(Key, V) bool) {
		for i, k := range m.keys {
			if k != 0 && !yield(k, *m.value(m.positions[i])) {
				return
			}
		}
	}
}
