package compactmap

import (
	"iter"
	"math/bits"
)

// A table is a sorted map in one slice. Since keys are uniformly distributed, a key is
// its own hash: the home slot of a key is at the same fraction of the slice as the key
// is of the key space. If that slot is taken, larger keys move to the next slots. So a
// lookup is one multiplication and a few steps, iteration needs no sorting, and while
// it grows, at most a third of the slots are free.
type table[V any] struct {
	slots []slot[V] // the last one is free, so every search ends
	homes int       // number of slots that are the home of some key
	n     int
}

type slot[V any] struct {
	key   Key // 0 where it is free
	value V
}

const (
	minHomes = 16
	// overhang is the number of slots after the homes, which grows by as many.
	// With random keys it never has to, for any number of homes.
	overhang = 64
)

// Len returns the number of keys.
func (t *table[V]) Len() int { return t.n }

func (t *table[V]) home(k Key) int {
	at, _ := bits.Mul64(uint64(k), uint64(t.homes)) //nolint:gosec // not negative
	return int(at)                                  //nolint:gosec // less than homes
}

// search returns the index of a key, or the index at which to insert it.
func (t *table[V]) search(k Key) (at int, found bool) {
	if t.homes == 0 {
		return 0, false
	}
	at = t.home(k)
	for t.slots[at].key < k && t.slots[at].key != 0 {
		at++
	}
	return at, t.slots[at].key == k
}

// Get returns a pointer to the value of a key, or nil. The pointer is valid until the
// next call of a method other than Get and Len.
func (t *table[V]) Get(k Key) *V {
	if at, ok := t.search(k); ok {
		return &t.slots[at].value
	}
	return nil
}

// Put sets the value of a key.
func (t *table[V]) Put(k Key, v V) {
	at, ok := t.search(k)
	if ok {
		t.slots[at].value = v
		return
	}
	if t.full(1) {
		t.resize(max(minHomes, t.homes*7/6))
		at, _ = t.search(k)
	}
	t.n++
	free := at
	for t.slots[free].key != 0 {
		free++
	}
	if free == len(t.slots)-1 {
		t.slots = append(t.slots, make([]slot[V], overhang)...)
	}
	copy(t.slots[at+1:free+1], t.slots[at:free])
	t.slots[at] = slot[V]{k, v}
}

// full reports whether n more entries need more homes.
func (t *table[V]) full(n int) bool { return t.n+n > t.homes*7/8 }

// Reserve makes room for n more entries.
func (t *table[V]) Reserve(n int) {
	if t.full(n) {
		t.resize(max(minHomes, t.homes*7/6, (t.n+n)*8/7+1))
	}
}

// Delete deletes a key, if it exists.
func (t *table[V]) Delete(k Key) {
	at, ok := t.search(k)
	if !ok {
		return
	}
	// Move following entries that are not at their home back.
	end := at + 1
	for t.slots[end].key != 0 && t.home(t.slots[end].key) < end {
		end++
	}
	copy(t.slots[at:end-1], t.slots[at+1:end])
	t.slots[end-1] = slot[V]{}
	t.n--
}

// clear deletes all keys but keeps the memory.
func (t *table[V]) clear() {
	clear(t.slots)
	t.n = 0
}

// resize changes the number of homes.
func (t *table[V]) resize(homes int) {
	old := t.slots
	t.homes, t.slots = homes, make([]slot[V], homes+min(homes, overhang))
	at := 0
	for i := range old {
		if old[i].key == 0 {
			continue
		}
		at = max(at, t.home(old[i].key))
		if at == len(t.slots)-1 {
			t.slots = append(t.slots, make([]slot[V], overhang)...)
		}
		t.slots[at] = old[i]
		at++
	}
}

// Shrink frees memory if the table was much larger before.
func (t *table[V]) Shrink() {
	if t.homes > max(2*t.n, 4*minHomes) {
		t.resize(max(minHomes, t.n*6/5))
	}
}

// All iterates over the entries in the order of their keys.
func (t *table[V]) All() iter.Seq2[Key, *V] {
	return func(yield func(Key, *V) bool) {
		for i := range t.slots {
			if t.slots[i].key != 0 && !yield(t.slots[i].key, &t.slots[i].value) {
				return
			}
		}
	}
}
