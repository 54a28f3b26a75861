package ledger

import (
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A digest is a key as a number, in the same order. None is 0: the zero key,
// which stands for nothing, is 1, as no key in the world is likely to be.
type digest uint64

func digestOf(k transcript.Key) digest {
	return digest(max(binary.BigEndian.Uint64(k[:]), 1))
}

func (d digest) key() (k transcript.Key) {
	binary.BigEndian.PutUint64(k[:], uint64(d))
	return k
}

// A sorted map keeps its entries in one slice, in the order of their digests.
// A digest is as good as random, so it is its own hash: it belongs as far into
// the slice as it is into all digests. Where that slot is taken, the larger
// ones move on a little. So a look-up is a jump and a few steps, a walk needs
// no sorting, there is nothing for the garbage collector to follow, and an
// entry takes at most a third of a slot besides its own. The zero value is empty.
type sorted[V any] struct {
	slots []slot[V] // the last one is free, so every search ends
	homes int       // how many of the slots some digest belongs to
	n     int
}

type slot[V any] struct {
	digest digest // 0 where it is free
	value  V
}

const (
	fewHomes = 16
	// overhang is how many slots there are behind the homes, at first and at
	// most. Random digests need that many behind any number of homes.
	overhang = 64
)

func (s *sorted[V]) home(d digest) int {
	at, _ := bits.Mul64(uint64(d), uint64(s.homes)) //nolint:gosec // not negative
	return int(at)                                  //nolint:gosec // less than homes
}

// search returns where the digest is, or where it has to go.
func (s *sorted[V]) search(d digest) (at int, found bool) {
	if s.homes == 0 {
		return 0, false
	}
	at = s.home(d)
	for s.slots[at].digest < d && s.slots[at].digest != 0 {
		at++
	}
	return at, s.slots[at].digest == d
}

// get returns the value of a digest, nil when it has none. It stays where it is
// until something is put or deleted.
func (s *sorted[V]) get(d digest) *V {
	if at, ok := s.search(d); ok {
		return &s.slots[at].value
	}
	return nil
}

// put gives a digest a value, whether or not it has one.
func (s *sorted[V]) put(d digest, v V) {
	at, ok := s.search(d)
	if ok {
		s.slots[at].value = v
		return
	}
	if s.full(1) {
		s.resize(max(fewHomes, s.homes*7/6))
		at, _ = s.search(d)
	}
	s.n++
	free := at
	for s.slots[free].digest != 0 {
		free++
	}
	if free == len(s.slots)-1 {
		s.slots = append(s.slots, make([]slot[V], overhang)...)
	}
	copy(s.slots[at+1:free+1], s.slots[at:free])
	s.slots[at] = slot[V]{d, v}
}

// full reports whether n more entries are too many for the homes.
func (s *sorted[V]) full(n int) bool { return s.n+n > s.homes*7/8 }

// reserve makes room for n more entries.
func (s *sorted[V]) reserve(n int) {
	if s.full(n) {
		s.resize(max(fewHomes, s.homes*7/6, (s.n+n)*8/7+1))
	}
}

// delete removes a digest, if it is there.
func (s *sorted[V]) delete(d digest) {
	at, ok := s.search(d)
	if !ok {
		return
	}
	// What had to make room moves back.
	end := at + 1
	for s.slots[end].digest != 0 && s.home(s.slots[end].digest) < end {
		end++
	}
	copy(s.slots[at:end-1], s.slots[at+1:end])
	s.slots[end-1] = slot[V]{}
	s.n--
}

// resize lays the entries out anew.
func (s *sorted[V]) resize(homes int) {
	old := s.slots
	s.homes, s.slots = homes, make([]slot[V], homes+min(homes, overhang))
	at := 0
	for i := range old {
		if old[i].digest == 0 {
			continue
		}
		at = max(at, s.home(old[i].digest))
		if at == len(s.slots)-1 {
			s.slots = append(s.slots, make([]slot[V], overhang)...)
		}
		s.slots[at] = old[i]
		at++
	}
}

// fit gives back what a map no longer needs that was much larger.
func (s *sorted[V]) fit() {
	if s.homes > 4*max(s.n, fewHomes) {
		s.resize(max(fewHomes, s.n*4/3))
	}
}

// all visits the entries in the order of their digests.
func (s *sorted[V]) all() iter.Seq2[digest, *V] {
	return func(yield func(digest, *V) bool) {
		for i := range s.slots {
			if s.slots[i].digest != 0 && !yield(s.slots[i].digest, &s.slots[i].value) {
				return
			}
		}
	}
}
