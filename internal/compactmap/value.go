package compactmap

import (
	"encoding/binary"
	"math"
)

// A Value is a value of a Map. Its encoding is one or more unsigned varints, the number
// of which follows from the first byte, so that an entry can be skipped without being
// decoded.
type Value[V any] interface {
	comparable
	// Layout identifies the encoding in saved maps. Another encoding has another
	// number, and no number is reused.
	Layout() uint32
	// Varints returns the number of varints in an encoding whose first byte is first.
	Varints(first byte) int
	// Append appends the encoding to b.
	Append(b []byte) []byte
	// Decode returns the value encoded at the start of b and its size in bytes,
	// which is 0 if b does not begin with a valid encoding.
	Decode(b []byte) (V, int)
}

// A Decoder reads the varints of an encoded value.
type Decoder struct {
	data []byte
	at   int // number of bytes read; below 0 if they are invalid
}

// NewDecoder returns a Decoder for the value encoded at the start of b.
func NewDecoder(b []byte) Decoder { return Decoder{data: b} }

// Uint returns the next varint. If it is above limit, the encoding is invalid.
func (d *Decoder) Uint(limit uint64) uint64 {
	if d.at < 0 {
		return 0
	}
	n, size := binary.Uvarint(d.data[d.at:])
	if size <= 0 || n > limit {
		d.Invalid()
		return 0
	}
	d.at += size
	return n
}

// Int returns the next varint, which is zigzag-encoded.
func (d *Decoder) Int() int64 {
	n := d.Uint(math.MaxUint64)
	return int64(n>>1) ^ -int64(n&1)
}

// Invalid marks the encoding as invalid.
func (d *Decoder) Invalid() { d.at = -1 }

// Size returns the number of bytes read, or 0 if the encoding is invalid.
func (d *Decoder) Size() int { return max(d.at, 0) }
