package compactmap

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A builder makes a segment of entries that are added in the order of their keys.
type builder[V Value[V]] struct {
	segment[V]
	buckets uint64 // of the index that are written
}

// perBucket is the smallest mean number of entries of a bucket.
const perBucket = 8

// newBuilder returns a builder for about n entries whose encodings take size bytes.
func newBuilder[V Value[V]](n, size int) *builder[V] {
	b := &builder[V]{segment: segment[V]{bits: max(0, bits.Len(uint(n/perBucket))-1)}}
	b.data = make([]byte, b.index(), b.index()+n*b.width()+size+padding)
	return b
}

// add appends an entry with its encoded value.
func (b *builder[V]) add(k Key, value ...byte) {
	b.begin(uint64(k) >> (64 - b.bits))
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], uint64(k))
	b.data = append(append(b.data, all[8-b.width():]...), value...)
	b.n++
}

// begin completes the index up to bucket i.
func (b *builder[V]) begin(i uint64) {
	for ; b.buckets <= i; b.buckets++ {
		binary.LittleEndian.PutUint32(b.data[4*b.buckets:], uint32(len(b.data)-b.index())) //nolint:gosec // four GiB hold 200 million entries
	}
}

// done returns the segment, with at most 2 % of spare capacity.
func (b *builder[V]) done() segment[V] {
	b.begin(1 << b.bits)
	b.data = append(b.data, make([]byte, padding)...)
	if cap(b.data) > len(b.data)+len(b.data)/64 {
		b.data = slices.Clip(slices.Clone(b.data))
	}
	return b.segment
}

// segmentOf returns the entries of a table as a segment.
func segmentOf[V Value[V]](t *table[V]) segment[V] {
	b := newBuilder[V](t.n, 8*t.n)
	var encoded []byte
	for k, v := range t.All() {
		encoded = (*v).Append(encoded[:0])
		b.add(k, encoded...)
	}
	return b.done()
}

// merge merges two segments. If both have a key, the newer entry wins.
func merge[V Value[V]](older, newer *segment[V]) segment[V] {
	b := newBuilder[V](older.n+newer.n, older.values()+newer.values())
	o, n := older.cursor(), newer.cursor()
	for old, young := o.next(), n.next(); old || young; {
		switch {
		case old && young && o.key == n.key:
			old = o.next()
		case old && (!young || o.key < n.key):
			b.add(o.key, o.value...)
			old = o.next()
		default:
			b.add(n.key, n.value...)
			young = n.next()
		}
	}
	return b.done()
}

// without returns the entries for which del returns false.
func (s *segment[V]) without(del func(Key, V) bool) segment[V] {
	stays := func(c *cursor[V]) bool {
		v, _ := (*new(V)).Decode(c.value)
		return !del(c.key, v)
	}
	n, size := 0, 0
	for c := s.cursor(); c.next(); {
		if stays(&c) {
			n, size = n+1, size+len(c.value)
		}
	}
	b := newBuilder[V](n, size)
	for c := s.cursor(); c.next(); {
		if stays(&c) {
			b.add(c.key, c.value...)
		}
	}
	return b.done()
}
