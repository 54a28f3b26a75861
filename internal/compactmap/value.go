package compactmap

import "encoding/binary"

// A Value is what a Map keeps under a key. Its encoding is one or more unsigned
// varints, the number of which follows from the first byte, so that an entry can
// be skipped without being decoded.
type Value[V any] interface {
	comparable
	// Layout identifies the encoding in what is stored. Another encoding has
	// another number, and none is used again.
	Layout() uint32
	// Varints returns how many varints the encoding that begins with first has.
	Varints(first byte) int
	// Append appends the encoding to b.
	Append(b []byte) []byte
	// Decode returns the value encoded at the start of b and its size in bytes,
	// which is 0 if b does not begin with a valid encoding.
	Decode(b []byte) (V, int)
}

// A Decoder takes varints off the encoding of a value.
type Decoder struct {
	data []byte
	rest []byte
	bad  bool
}

// NewDecoder returns a Decoder of the value encoded at the start of b.
func NewDecoder(b []byte) Decoder { return Decoder{data: b, rest: b} }

// Uint returns the next varint. One above limit is invalid.
func (d *Decoder) Uint(limit uint64) uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > limit {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// Int returns the next varint, which is zigzag-encoded.
func (d *Decoder) Int() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// Invalid marks the encoding as invalid.
func (d *Decoder) Invalid() { d.bad = true }

// Size returns how many bytes were taken, 0 if the encoding is invalid.
func (d *Decoder) Size() int {
	if d.bad {
		return 0
	}
	return len(d.data) - len(d.rest)
}
