package table

import "math/bits"

// A Hash is a uniformly distributed number other than 0.
type Hash uint64

// An index has the keys of a map in order, each with the position of its value. It does
// not depend on the type of the values, so it is compiled only once.
type index struct {
	keys      []Hash   // 0 in a free slot; the last slot is free, so every search ends
	positions []uint32 // of the values
	homes     int      // number of slots that are the home of some key
	n         int
	free      []uint32 // positions of deleted values
}

const (
	minHomes = 16
	// overhang is the number of slots after the homes, and the number of slots to add
	// if they are full. With random keys they never are, for any number of homes.
	overhang = 64
)

// Len returns the number of keys.
func (x *index) Len() int { return x.n }

func (x *index) home(k Hash) int {
	at, _ := bits.Mul64(uint64(k), uint64(x.homes))
	return int(at)
}

// search returns the slot of a key, or the slot for inserting it.
func (x *index) search(k Hash) (at int, found bool) {
	if x.homes == 0 {
		return 0, false
	}
	at = x.home(k)
	for x.keys[at] < k && x.keys[at] != 0 {
		at++
	}
	return at, x.keys[at] == k
}

// find returns the position of the value of a key.
func (x *index) find(k Hash) (position uint32, found bool) {
	at, found := x.search(k)
	if found {
		position = x.positions[at]
	}
	return position, found
}

// add adds a key and returns the position of its value, possibly a deleted value's.
func (x *index) add(k Hash) (position uint32, reused bool) {
	if x.n+1 > x.homes*7/8 {
		x.resize(max(minHomes, x.homes*7/6))
	}
	position = uint32(x.n)
	if last := len(x.free) - 1; last >= 0 {
		position, x.free, reused = x.free[last], x.free[:last], true
	}
	x.n++
	at, _ := x.search(k)
	unused := at
	for x.keys[unused] != 0 {
		unused++
	}
	if unused == len(x.keys)-1 {
		x.extend()
	}
	copy(x.keys[at+1:unused+1], x.keys[at:unused])
	copy(x.positions[at+1:unused+1], x.positions[at:unused])
	x.keys[at], x.positions[at] = k, position
	return position, reused
}

// extend adds free slots at the end.
func (x *index) extend() {
	x.keys = append(x.keys, make([]Hash, overhang)...)
	x.positions = append(x.positions, make([]uint32, overhang)...)
}

// remove removes a key, if it exists, and returns the position of its value.
func (x *index) remove(k Hash) (position uint32, found bool) {
	at, found := x.search(k)
	if !found {
		return 0, false
	}
	position = x.positions[at]
	x.free = append(x.free, position)
	// Move following entries that are not at their home back.
	end := at + 1
	for x.keys[end] != 0 && x.home(x.keys[end]) < end {
		end++
	}
	copy(x.keys[at:end-1], x.keys[at+1:end])
	copy(x.positions[at:end-1], x.positions[at+1:end])
	x.keys[end-1] = 0
	x.n--
	return position, true
}

func (x *index) resize(homes int) {
	keys, positions := x.keys, x.positions
	slots := homes + min(homes, overhang)
	x.homes, x.keys, x.positions = homes, make([]Hash, slots), make([]uint32, slots)
	at := 0
	for i, k := range keys {
		if k == 0 {
			continue
		}
		at = max(at, x.home(k))
		if at == len(x.keys)-1 {
			x.extend()
		}
		x.keys[at], x.positions[at] = k, positions[i]
		at++
	}
}

// newIndex returns an index with room for n keys. Without the room, keys that are added
// in order would crowd in a part of the slots.
func newIndex(n int) (x index) {
	if n > 0 {
		x.resize(max(minHomes, n*6/5))
	}
	return x
}
