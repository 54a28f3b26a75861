package compactmap

import (
	"iter"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Map is a compact sorted map; see the package comment.
type Map[V Value[V]] struct {
	recent   table[V]
	segments []segment[V] // the oldest first; the newest entry of a key wins
	n        int
}

const (
	// flushSize is the number of recent entries that become a segment.
	flushSize = 1 << 12
	// ratio is the smallest ratio of the sizes of a segment and the next one.
	ratio = 4
)

// Len returns the number of keys.
func (m *Map[V]) Len() int { return m.n }

// Get returns the value of a key, if it has one.
func (m *Map[V]) Get(k Key) (v V, ok bool) {
	if v := m.recent.Get(k); v != nil {
		return *v, true
	}
	for i := len(m.segments) - 1; i >= 0; i-- {
		if v, ok := m.segments[i].get(k); ok {
			return v, true
		}
	}
	return v, false
}

// Add sets the value of a key that has none.
func (m *Map[V]) Add(k Key, v V) {
	m.recent.Put(k, v)
	m.n++
}

// Set replaces the value of a key that has one.
func (m *Map[V]) Set(k Key, v V) { m.recent.Put(k, v) }

// Put sets the value of a key, whether or not it has one.
func (m *Map[V]) Put(k Key, v V) {
	switch before, ok := m.Get(k); {
	case !ok:
		m.Add(k, v)
	case before != v:
		m.Set(k, v)
	}
}

// All iterates over the entries, in no particular order.
func (m *Map[V]) All() iter.Seq2[Key, V] {
	return func(yield func(Key, V) bool) {
		for k, v := range m.recent.All() {
			if !yield(k, *v) {
				return
			}
		}
		for i := range m.segments {
			newer := Map[V]{recent: m.recent, segments: m.segments[i+1:]}
			for s := m.segments[i].cursor(); s.next(); {
				if _, replaced := newer.Get(s.key); replaced {
					continue
				}
				if v, _ := (*new(V)).Decode(s.value); !yield(s.key, v) {
					return
				}
			}
		}
	}
}

// Compact turns the recent entries into a segment if there are many. Each call
// may take milliseconds, so the caller chooses the moment. The memory of the recent
// entries is kept for the next ones until Shrink is called.
func (m *Map[V]) Compact() {
	if m.recent.n < flushSize {
		return
	}
	recent := m.recent
	m.flush(func(older, newer int) bool { return older < ratio*newer })
	recent.clear()
	m.recent = recent
}

// Shrink frees memory that is kept for recent entries, and that of entries replaced by
// newer ones if these are many.
func (m *Map[V]) Shrink() {
	m.recent.Shrink()
	stored := 0
	for i := range m.segments {
		stored += m.segments[i].n
	}
	if stored > m.n+m.n/16 {
		last := len(m.segments) - 1
		all := m.segments[last]
		for i := last - 1; i >= 0; i-- {
			all = merge(&m.segments[i], &all)
		}
		m.segments = []segment[V]{all}
	}
}

// flush makes a segment of the recent entries and merges it with the segments
// before it, from the newest on, as long as merges returns true for their sizes.
func (m *Map[V]) flush(merges func(older, newer int) bool) {
	flushed, last := segmentOf(&m.recent), len(m.segments)-1
	for ; last >= 0 && merges(m.segments[last].n, flushed.n); last-- {
		flushed = merge(&m.segments[last], &flushed)
	}
	m.segments = append(slices.Clone(m.segments[:last+1]), flushed)
	m.recent = table[V]{}
}

// DeleteFunc deletes the entries for which del returns true.
func (m *Map[V]) DeleteFunc(del func(Key, V) bool) {
	if m.n == 0 {
		return
	}
	// Merge all segments, or else an older value would become visible.
	m.flush(func(int, int) bool { return true })
	m.segments[0] = m.segments[0].without(del)
	if m.n = m.segments[0].n; m.n == 0 {
		*m = Map[V]{}
	}
}

// Code visits the map. A reader fails if a value is not valid (nil accepts any) or
// the map has another layout: ignoring a map would forget its keys.
func (m *Map[V]) Code(c *codec.Coder, valid func(V) bool) {
	if !c.Reading() {
		m.write(c)
		return
	}
	codec.Int(c, 1, &m.n)
	codec.Slice(c, 2, &m.segments, func(c *codec.Coder, s *segment[V]) { s.code(c, valid) })
	m.recent = table[V]{}
	if c.Err() != nil || !m.fits() {
		c.Fail()
		*m = Map[V]{}
	}
	last := len(m.segments) - 1
	if last < 0 {
		return
	}
	m.recent.Reserve(m.segments[last].n)
	for s := m.segments[last].cursor(); s.next(); {
		v, _ := (*new(V)).Decode(s.value)
		m.recent.Put(s.key, v)
	}
	m.segments = m.segments[:last:last]
}

// write writes the segments, the last of which are the recent entries. An empty map
// has none.
func (m *Map[V]) write(c *codec.Coder) {
	if m.n == 0 {
		return
	}
	n, all := m.n, append(slices.Clip(m.segments), segmentOf(&m.recent))
	codec.Int(c, 1, &n)
	for i := range all {
		codec.Large(c, 2, len(all[i].data), &all[i], func(c *codec.Coder, s *segment[V]) { s.code(c, nil) })
	}
}

// fits reports whether the segments can have m.n different keys.
func (m *Map[V]) fits() bool {
	most, least := 0, 0
	for i := range m.segments {
		most, least = most+m.segments[i].n, max(least, m.segments[i].n)
	}
	return least <= m.n && m.n <= most
}

// SizeHint returns about how many bytes Code writes.
func (m *Map[V]) SizeHint() int {
	size := 16 * m.recent.n
	for i := range m.segments {
		size += len(m.segments[i].data)
	}
	return size
}
