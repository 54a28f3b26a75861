package compactmap

import "iter"

// A Store is a sorted map of large values. Unlike the values of a table they do not
// move when it grows: only their positions do, which are in a table. The zero Store is
// empty and ready to use.
type Store[V any] struct {
	index  table[uint32] // positions of the values
	chunks [][]V         // of chunkSize values, except for the last one
	used   uint32        // positions, including those of deleted values
}

// chunkSize is the number of values that are allocated together.
const chunkSize = 1 << 8

// Len returns the number of keys.
func (s *Store[V]) Len() int { return s.index.Len() }

// Get returns a pointer to the value of a key, or nil. The pointer is valid until the
// key is deleted or Shrink is called.
func (s *Store[V]) Get(k Key) *V {
	if at := s.index.Get(k); at != nil {
		return s.at(*at)
	}
	return nil
}

func (s *Store[V]) at(i uint32) *V { return &s.chunks[i/chunkSize][i%chunkSize] }

// Put sets the value of a key.
func (s *Store[V]) Put(k Key, v V) {
	if known := s.Get(k); known != nil {
		*known = v
		return
	}
	if s.used%chunkSize == 0 {
		s.chunks = append(s.chunks, make([]V, 0, chunkSize))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, v)
	s.index.Put(k, s.used)
	s.used++
}

// Delete deletes a key, if it exists. Shrink frees its memory.
func (s *Store[V]) Delete(k Key) { s.index.Delete(k) }

// Shrink frees the memory of deleted values if there are more of them than others.
func (s *Store[V]) Shrink() {
	if int(s.used) <= max(chunkSize, 2*s.Len()) {
		return
	}
	var kept Store[V]
	for k, v := range s.All() {
		kept.Put(k, *v)
	}
	*s = kept
}

// All iterates over the entries in the order of their keys.
func (s *Store[V]) All() iter.Seq2[Key, *V] {
	return func(yield func(Key, *V) bool) {
		for k, at := range s.index.All() {
			if !yield(k, s.at(*at)) {
				return
			}
		}
	}
}
