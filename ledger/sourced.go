package ledger

import "github.com/ccwatchd/ccwatchd/table"

// sourced is an interner of values that lines can make up. It counts the values of each
// source, for limits: the values of a source take no room from other sources.
type sourced[V comparable] struct {
	*table.Interner[V]
	sourceOf func(V) SourceLabels
	counts   map[SourceLabels]int // derived from the values
}

func newSourced[V comparable](s *table.Set, n table.Number, code func(*table.Coder, *V), sourceOf func(V) SourceLabels) *sourced[V] {
	return &sourced[V]{table.NewInterner(s, n, code), sourceOf, make(map[SourceLabels]int)}
}

// ID returns the id of v.
func (t *sourced[V]) ID(v V) uint32 {
	before := t.Len()
	id := t.Interner.ID(v)
	if t.Len() > before {
		t.counts[t.sourceOf(v)]++
	}
	return id
}

// fits reports whether v has an id, or its source has fewer than limit values.
func (t *sourced[V]) fits(v V, limit int) bool {
	return t.counts[t.sourceOf(v)] < limit || t.Has(v)
}

// reindex rebuilds counts.
func (t *sourced[V]) reindex() {
	clear(t.counts)
	for _, v := range t.Values() {
		t.counts[t.sourceOf(v)]++
	}
}
