package ledger

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A builder makes a run of entries that come in order.
type builder[V packable[V]] struct {
	run[V]
	begun uint64 // so many buckets are in the index
}

// perBucket is the smallest mean number of entries to one of the index.
const perBucket = 8

// newBuilder expects at most n entries, the values of which take size bytes.
func newBuilder[V packable[V]](n, size int) *builder[V] {
	b := &builder[V]{run: run[V]{bits: max(0, bits.Len(uint(n/perBucket))-1)}}
	b.data = make([]byte, b.index(), b.index()+n*b.width()+size+padding)
	return b
}

// add takes the next entry, with its coded value.
func (b *builder[V]) add(d digest, value ...byte) {
	b.begin(uint64(d) >> (64 - b.bits))
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], uint64(d))
	b.data = append(append(b.data, all[8-b.width():]...), value...)
	b.n++
}

// begin notes that what comes next has at least the bits i.
func (b *builder[V]) begin(i uint64) {
	for ; b.begun <= i; b.begun++ {
		binary.LittleEndian.PutUint32(b.data[4*b.begun:], uint32(len(b.data)-b.index())) //nolint:gosec // four GiB hold 200 million entries
	}
}

// done returns the run, in hardly more memory than it needs.
func (b *builder[V]) done() run[V] {
	b.begin(1 << b.bits)
	b.data = append(b.data, make([]byte, padding)...)
	if cap(b.data) > len(b.data)+len(b.data)/64 {
		b.data = slices.Clip(slices.Clone(b.data))
	}
	return b.run
}

// runOf makes a run of a map.
func runOf[V packable[V]](s *sorted[V]) run[V] {
	b := newBuilder[V](s.n, 8*s.n)
	var coded []byte
	for d, v := range s.all() {
		coded = (*v).appendTo(coded[:0])
		b.add(d, coded...)
	}
	return b.done()
}

// merge makes one run of two. Where both have a digest, the newer one is right.
func merge[V packable[V]](older, newer *run[V]) run[V] {
	b := newBuilder[V](older.n+newer.n, len(older.data)+len(newer.data))
	o, n := older.cursor(), newer.cursor()
	for old, young := o.next(), n.next(); old || young; {
		switch {
		case old && young && o.digest == n.digest:
			old = o.next()
		case old && (!young || o.digest < n.digest):
			b.add(o.digest, o.value...)
			old = o.next()
		default:
			b.add(n.digest, n.value...)
			young = n.next()
		}
	}
	return b.done()
}

// without makes a run of the entries whose values are not to go.
func (r *run[V]) without(goes func(V) bool) run[V] {
	stays := func(coded []byte) bool {
		v, _ := (*new(V)).decode(coded)
		return !goes(v)
	}
	n, size := 0, 0
	for c := r.cursor(); c.next(); {
		if stays(c.value) {
			n, size = n+1, size+len(c.value)
		}
	}
	b := newBuilder[V](n, size)
	for c := r.cursor(); c.next(); {
		if stays(c.value) {
			b.add(c.digest, c.value...)
		}
	}
	return b.done()
}
