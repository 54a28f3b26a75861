package table

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Uint visits an unsigned integer of any width: a uint32 or uint64 field.
func Uint[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Coder, n Number, v *T) { integer(c, n, v) }

// Int visits a signed integer: an int64 field.
func Int[T ~int | ~int64](c *Coder, n Number, v *T) { integer(c, n, v) }

func integer[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int | ~int64](c *Coder, n Number, v *T) {
	if !c.reading {
		if *v != 0 {
			c.begin(n, protowire.VarintType)
			c.append(uint64(*v))
		}
		return
	}
	u := c.varint(n)
	if *v = T(u); uint64(*v) != u {
		c.Fail()
		*v = 0
	}
}

// Bool visits a bool field.
func Bool(c *Coder, n Number, v *bool) {
	var u uint8
	if *v {
		u = 1
	}
	if integer(c, n, &u); c.reading {
		if *v = u == 1; u > 1 {
			c.Fail()
		}
	}
}

// varint reads an integer field. An explicit zero is an error.
func (c *Coder) varint(n Number) uint64 {
	if !c.nextIs(n, protowire.VarintType) {
		return 0
	}
	v := c.number()
	if v == 0 {
		c.Fail()
		return 0
	}
	c.advance(n + 1)
	return v
}

// Fixed64 visits eight bytes: a fixed64 field, least significant byte first.
func Fixed64[T ~[8]byte](c *Coder, n Number, v *T) { c.fixed(n, protowire.Fixed64Type, (*v)[:]) }

// Fixed32 visits four bytes: a fixed32 field, least significant byte first.
func Fixed32[T ~[4]byte](c *Coder, n Number, v *T) { c.fixed(n, protowire.Fixed32Type, (*v)[:]) }

func (c *Coder) fixed(n Number, t protowire.Type, v []byte) {
	if !c.reading {
		if !isZero(v) {
			c.begin(n, t)
			c.buf = append(c.buf, v...)
		}
		return
	}
	clear(v)
	if !c.nextIs(n, t) {
		return
	}
	if len(c.buf) >= len(v) {
		c.buf = c.buf[copy(v, c.buf):]
	}
	if isZero(v) { // or missing bytes
		c.Fail()
		return
	}
	c.advance(n + 1)
}

func isZero(b []byte) bool { return !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) }

// String visits a string field. Other protobuf libraries require valid UTF-8.
func String[T ~string](c *Coder, n Number, v *T) {
	if !c.reading {
		writeBytes(c, n, *v)
		return
	}
	*v = T(c.bytes(n))
}

// Bytes visits a bytes field.
func Bytes(c *Coder, n Number, v *[]byte) {
	if !c.reading {
		writeBytes(c, n, *v)
		return
	}
	*v = append([]byte(nil), c.bytes(n)...)
}

func writeBytes[T ~string | ~[]byte](c *Coder, n Number, v T) {
	if len(v) > 0 {
		c.begin(n, protowire.BytesType)
		c.append(uint64(len(v)))
		c.buf = append(c.buf, v...)
	}
}

// bytes reads a length-prefixed field. An explicit empty field is an error.
func (c *Coder) bytes(n Number) []byte {
	if !c.nextIs(n, protowire.BytesType) {
		return nil
	}
	b := c.take()
	if len(b) == 0 || !c.spend(len(b)+minAlloc) {
		c.Fail()
		return nil
	}
	c.advance(n + 1)
	return b
}

// minAlloc is the size of the smallest allocation in bytes.
const minAlloc = 16
