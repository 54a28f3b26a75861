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
func (p plain[K, V]) Delete(k K)                     { delete(p, k) }
func (p plain[K, V]) DeleteFunc(del func(K, V) bool) { maps.DeleteFunc(p, del) }
func (p plain[K, V]) All() iter.Seq2[K, V]           { return maps.All(p) }

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
	for _, k := range gone {
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
	return &Stored[V]{newTable(s, n, Hash[compactmap.Key](), &message[V]{code: code}, rows), rows}
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

// message is the encoding of rows that are messages.
type message[V any] struct{ code func(*codec.Coder, *V) }

func (*message[V]) patched() bool { return true }

func (m *message[V]) append(b []byte, v *V) []byte {
	c := codec.NewWriter(b)
	m.code(c, v)
	return c.Bytes()
}

func (m *message[V]) decode(b []byte) (v V, err error) {
	c := codec.NewReader(b)
	m.code(c, &v)
	return v, c.Done()
}
