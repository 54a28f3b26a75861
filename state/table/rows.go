package table

import (
	"iter"
	"maps"

	"github.com/ccwatchd/ccwatchd/internal/compactmap"
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

func (p plain[K, V]) rewrite(f func(*V)) {
	for k, v := range p {
		f(&v)
		p[k] = v
	}
}

func (plain[K, V]) Shrink() {}

// hashed are rows in a compact map.
type hashed[V any] struct{ compactmap.Map[V] }

func (h *hashed[V]) DeleteFunc(del func(compactmap.Key, V) bool) {
	var gone []compactmap.Key
	for k, v := range h.All() {
		if del(k, v) {
			gone = append(gone, k)
		}
	}
	h.remove(gone)
	h.Shrink()
}

func (h *hashed[V]) remove(keys []compactmap.Key) {
	for _, k := range keys {
		h.Delete(k)
	}
}

func (h *hashed[V]) rewrite(f func(*V)) {
	for k, v := range h.All() {
		f(&v)
		h.Put(k, v)
	}
}
