package table

import (
	"iter"
	"maps"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/state/codec"
)

// plain are rows in a map of Go.
type plain[K comparable, V any] map[K]V

func (p plain[K, V]) Len() int { return len(p) }

func (p plain[K, V]) Get(k K) (V, bool) {
	v, ok := p[k]
	return v, ok
}

func (p plain[K, V]) Put(k K, v V)                   { p[k] = v }
func (p plain[K, V]) DeleteFunc(del func(K, V) bool) { maps.DeleteFunc(p, del) }
func (p plain[K, V]) All() iter.Seq2[K, V]           { return maps.All(p) }

func (p plain[K, V]) remove(keys []K) {
	for _, k := range keys {
		delete(p, k)
	}
}

// stored are rows in a [compactmap.Store].
type stored[V any] struct{ compactmap.Store[V] }

func (s *stored[V]) Get(k compactmap.Key) (v V, ok bool) {
	if p := s.Store.Get(k); p != nil {
		return *p, true
	}
	return v, false
}

func (s *stored[V]) All() iter.Seq2[compactmap.Key, V] {
	return func(yield func(compactmap.Key, V) bool) {
		for k, v := range s.Store.All() {
			if !yield(k, *v) {
				return
			}
		}
	}
}

func (s *stored[V]) DeleteFunc(del func(compactmap.Key, V) bool) {
	var gone []compactmap.Key
	for k, v := range s.Store.All() {
		if del(k, *v) {
			gone = append(gone, k)
		}
	}
	s.remove(gone)
}

func (s *stored[V]) remove(keys []compactmap.Key) {
	for _, k := range keys {
		s.Delete(k)
	}
}

// A Stored is a Table for many large rows with uniformly distributed keys.
type Stored[V any] struct {
	*Table[compactmap.Key, V]
	s *stored[V]
}

// NewStored is New for a Stored.
func NewStored[V any](s *Set, n codec.Number, code func(*codec.Coder, *V)) *Stored[V] {
	rows := new(stored[V])
	t := &Stored[V]{newTable(s, compactKey(), newMessage(code), rows), rows}
	s.add(n, t)
	return t
}

// Shrink frees the memory of deleted rows.
func (t *Stored[V]) Shrink() { t.s.Shrink() }

// Rewrite changes how rows are represented, but not their encoding. No change may be
// pending.
func (t *Stored[V]) Rewrite(f func(*V)) {
	for _, v := range t.s.Store.All() {
		f(v)
	}
}
