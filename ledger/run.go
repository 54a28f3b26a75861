package ledger

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/wire"
)

// A packable value is what is remembered under a digest. Coded it is some unsigned
// varints.
type packable[V any] interface {
	comparable
	// numbers tells from the first byte of a coded value how many it has.
	numbers(first byte) int
	// appendTo adds the coded value to b.
	appendTo(b []byte) []byte
	// decode returns the value coded at the start of b and its size in bytes,
	// which is 0 when there is none.
	decode(b []byte) (V, int)
}

// A run maps digests to values, and never changes. It is one piece of memory
// in which nothing is stored that is known from its place:
//
//   - an index: for every value that the first bits of a digest can have, where
//     the entries with them begin and, behind the last, where these end; in
//     four bytes each, little-endian, counted from the end of the index;
//   - the entries in the order of their digests: the last bytes of the digest,
//     as many as it takes besides the bits, and the coded value;
//   - eight zero bytes, so that everything can be read as a word.
//
// These bytes are also how a run is saved.
type run[V packable[V]] struct {
	n    int // entries
	bits int // of a digest that the index goes by
	data []byte
}

const (
	padding = 8
	// mostBits are those of the index of more entries than four bytes can count.
	mostBits = 30
)

func (r *run[V]) index() int { return 4 * (1<<r.bits + 1) }
func (r *run[V]) end() int   { return len(r.data) - padding }

// width is how many bytes of its digest an entry has.
func (r *run[V]) width() int { return (64 - r.bits + 7) / 8 }

// bucket returns where the entries with the bits i begin.
func (r *run[V]) bucket(i uint64) int {
	return r.index() + int(binary.LittleEndian.Uint32(r.data[4*i:]))
}

// tail returns the part of a digest that stands at a place.
func (r *run[V]) tail(at int) digest {
	return digest(binary.BigEndian.Uint64(r.data[at:])) >> (64 - 8*r.width())
}

// get returns the value of a digest, if it has one.
func (r *run[V]) get(d digest) (v V, ok bool) {
	i, unread := uint64(d)>>(64-r.bits), 64-8*r.width()
	at, end := r.bucket(i), r.bucket(i+1)
	for want := d << unread >> unread; at < end; at += r.size(at) {
		have := r.tail(at)
		at += r.width()
		if have == want {
			v, _ = v.decode(r.data[at:])
			return v, true
		}
		if have > want {
			break
		}
	}
	return v, false
}

// size returns how many bytes the value at a place takes: a number ends with
// the first byte below 128.
func (r *run[V]) size(at int) int {
	var v V
	n := v.numbers(r.data[at])
	for size := 0; ; size += 8 {
		ends := ^binary.LittleEndian.Uint64(r.data[at+size:]) & 0x8080808080808080
		if here := bits.OnesCount64(ends); here < n {
			n -= here
			continue
		}
		for ; n > 1; n-- {
			ends &= ends - 1
		}
		return size + bits.TrailingZeros64(ends)/8 + 1
	}
}

// A cursor walks through a run.
type cursor[V packable[V]] struct {
	*run[V]
	first uint64 // the bits of the entries that it is among
	limit int    // where these end
	at    int

	digest digest
	value  []byte // coded
}

func (r *run[V]) cursor() cursor[V] { return cursor[V]{run: r, limit: r.bucket(1), at: r.index()} }

// next moves on to the next entry and reports whether there is one.
func (c *cursor[V]) next() bool {
	if c.at >= c.end() {
		return false
	}
	for c.at >= c.limit {
		c.first++
		c.limit = c.bucket(c.first + 1)
	}
	c.digest = digest(c.first<<(64-c.bits)) | c.tail(c.at)
	c.at += c.width()
	size := c.size(c.at)
	c.value = c.data[c.at : c.at+size]
	c.at += size
	return true
}

// code visits a run. One that is read is checked to the last byte, so whoever
// looks into it later finds what a run has, and sound values only.
func (r *run[V]) code(c *wire.Coder, sound func(V) bool) {
	n := uint8(r.bits) //nolint:gosec // at most mostBits
	wire.Uint(c, &n)
	c.Blob(&r.data)
	if !c.Reading() {
		return
	}
	r.n, r.bits = 0, int(n)
	if !r.check(sound) {
		*r = newBuilder[V](0, 0).done()
		c.Fail()
	}
}

// check counts the entries and reports whether they are those of a run.
func (r *run[V]) check(sound func(V) bool) bool {
	if r.bits > mostBits || len(r.data) < r.index()+padding || int64(len(r.data)) > math.MaxUint32 ||
		binary.LittleEndian.Uint64(r.data[r.end():]) != 0 {
		return false
	}
	at := r.index()
	for i := range uint64(1) << r.bits {
		limit := r.bucket(i + 1)
		if at != r.bucket(i) || limit > r.end() || limit < at || !r.checkBucket(i, at, limit, sound) {
			return false
		}
		at = limit
	}
	return at == r.end()
}

func (r *run[V]) checkBucket(i uint64, at, limit int, sound func(V) bool) bool {
	unread := 64 - 8*r.width()
	for last := digest(0); at < limit; r.n++ {
		tail := r.tail(at)
		d := digest(i<<(64-r.bits)) | tail
		if at += r.width(); at >= limit || d <= last || d<<unread>>unread != tail || uint64(d)>>(64-r.bits) != i {
			return false
		}
		v, size := (*new(V)).decode(r.data[at:limit])
		if size == 0 || !sound(v) {
			return false
		}
		at += size
		last = d
	}
	return true
}
