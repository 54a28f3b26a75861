package compactmap

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A segment is an immutable sorted block of entries in one piece of memory:
//
//   - an index: for every value of the first bits of a key, the offset of the
//     first entry with them, and after the last the offset of the end; four
//     bytes each, little-endian, relative to the end of the index;
//   - the entries in the order of their keys: the last bytes of the key, as many
//     as are needed besides the bits, and the encoded value;
//   - eight zero bytes, so that everything can be read in words of eight bytes.
//
// A segment is saved as these bytes.
type segment[V Value[V]] struct {
	n    int // entries
	bits int // of a key that the index uses
	data []byte
}

const (
	padding = 8
	// maxBits is the largest index for which offsets of four bytes suffice.
	maxBits = 30
)

func (s *segment[V]) index() int { return 4 * (1<<s.bits + 1) }
func (s *segment[V]) end() int   { return len(s.data) - padding }

// width is the number of bytes of its key that an entry has.
func (s *segment[V]) width() int { return (64 - s.bits + 7) / 8 }

// values is the number of bytes that the encoded values take.
func (s *segment[V]) values() int { return s.end() - s.index() - s.n*s.width() }

// bucket returns the offset of the entries whose first bits are i.
func (s *segment[V]) bucket(i uint64) int {
	return s.index() + int(binary.LittleEndian.Uint32(s.data[4*i:]))
}

// tail returns the part of a key that is stored at an offset.
func (s *segment[V]) tail(at int) Key {
	return Key(binary.BigEndian.Uint64(s.data[at:])) >> (64 - 8*s.width())
}

func (s *segment[V]) get(k Key) (v V, ok bool) {
	i, unread := uint64(k)>>(64-s.bits), 64-8*s.width()
	at, end := s.bucket(i), s.bucket(i+1)
	for want := k << unread >> unread; at < end; at += s.size(at) {
		have := s.tail(at)
		at += s.width()
		if have == want {
			v, _ = v.Decode(s.data[at:])
			return v, true
		}
		if have > want {
			break
		}
	}
	return v, false
}

// size returns the number of bytes of the value at an offset: a varint ends with its
// first byte below 128.
func (s *segment[V]) size(at int) int {
	var v V
	n := v.Varints(s.data[at])
	for size := 0; ; size += 8 {
		ends := ^binary.LittleEndian.Uint64(s.data[at+size:]) & 0x8080808080808080
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

// A cursor iterates over a segment.
type cursor[V Value[V]] struct {
	*segment[V]
	first uint64 // the first bits of the entries of this bucket
	limit int    // the end of the bucket
	at    int

	key   Key
	value []byte // encoded
}

func (s *segment[V]) cursor() cursor[V] {
	return cursor[V]{segment: s, limit: s.bucket(1), at: s.index()}
}

// next advances to the next entry and reports whether there is one.
func (c *cursor[V]) next() bool {
	if c.at >= c.end() {
		return false
	}
	for c.at >= c.limit {
		c.first++
		c.limit = c.bucket(c.first + 1)
	}
	c.key = Key(c.first<<(64-c.bits)) | c.tail(c.at)
	c.at += c.width()
	size := c.size(c.at)
	c.value = c.data[c.at : c.at+size]
	c.at += size
	return true
}

// code visits a segment. A reader checks every byte, so that get and cursor can rely
// on it. A nil valid accepts any value.
func (s *segment[V]) code(c *codec.Coder, valid func(V) bool) {
	layout := (*new(V)).Layout()
	want, n := layout, uint8(s.bits) //nolint:gosec // at most maxBits
	codec.Uint(c, 1, &layout)
	if layout != want && c.Err() == nil {
		c.Unsupported("layout %d of keys", layout)
	}
	codec.Uint(c, 2, &n)
	codec.Bytes(c, 3, &s.data)
	if !c.Reading() {
		return
	}
	s.n, s.bits = 0, int(n)
	if !s.check(valid) {
		*s = newBuilder[V](0, 0).done()
		c.Fail()
	}
}

// check counts the entries and reports whether the segment is well-formed.
func (s *segment[V]) check(valid func(V) bool) bool {
	if s.bits > maxBits || len(s.data) < s.index()+padding || int64(len(s.data)) > math.MaxUint32 ||
		binary.LittleEndian.Uint64(s.data[s.end():]) != 0 {
		return false
	}
	at := s.index()
	for i := range uint64(1) << s.bits {
		limit := s.bucket(i + 1)
		if at != s.bucket(i) || limit > s.end() || limit < at || !s.checkBucket(i, at, limit, valid) {
			return false
		}
		at = limit
	}
	return at == s.end()
}

func (s *segment[V]) checkBucket(i uint64, at, limit int, valid func(V) bool) bool {
	unread := 64 - 8*s.width()
	for last := Key(0); at < limit; s.n++ {
		tail := s.tail(at)
		k := Key(i<<(64-s.bits)) | tail
		if at += s.width(); at >= limit || k <= last || k<<unread>>unread != tail || uint64(k)>>(64-s.bits) != i {
			return false
		}
		v, size := (*new(V)).Decode(s.data[at:limit])
		if size == 0 || valid != nil && !valid(v) {
			return false
		}
		at += size
		last = k
	}
	return true
}
