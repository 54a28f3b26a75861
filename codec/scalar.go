package codec

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Uint visits an unsigned number of any width: a uint32 or uint64 field.
func Uint[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Coder, n Number, v *T) {
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

// Int visits a signed number: an int64 field.
func Int[T ~int | ~int64](c *Coder, n Number, v *T) {
	if !c.reading {
		if *v != 0 {
			c.begin(n, protowire.VarintType)
			c.append(uint64(*v))
		}
		return
	}
	i := int64(c.varint(n)) //nolint:gosec // two's complement
	if *v = T(i); int64(*v) != i {
		c.Fail()
		*v = 0
	}
}

// Bool visits a truth value: a bool field.
func Bool(c *Coder, n Number, v *bool) {
	if !c.reading {
		if *v {
			c.begin(n, protowire.VarintType)
			c.buf = append(c.buf, 1)
		}
		return
	}
	u := c.varint(n)
	if *v = u == 1; u > 1 {
		c.Fail()
	}
}

// varint reads a field that is a number. One that is 0 must be missing.
func (c *Coder) varint(n Number) uint64 {
	if !c.at(n, protowire.VarintType) {
		return 0
	}
	var v uint64
	if len(c.buf) > 0 && c.buf[0] < 0x80 {
		v, c.buf = uint64(c.buf[0]), c.buf[1:]
	} else {
		v = c.number()
	}
	if v == 0 {
		c.Fail()
		return 0
	}
	c.advance(n + 1)
	return v
}

// Float visits a floating-point number: a double field.
func Float(c *Coder, n Number, v *float64) {
	b := [8]byte{}
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(*v))
	if Fixed64(c, n, &b); c.reading {
		*v = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	}
}

// Fixed64 visits eight bytes: a fixed64 field, whose first byte is the lowest.
func Fixed64[T ~[8]byte](c *Coder, n Number, v *T) {
	if !c.reading {
		if *v != (T{}) {
			c.begin(n, protowire.Fixed64Type)
			c.buf = append(c.buf, (*v)[:]...)
		}
		return
	}
	*v = T{}
	if !c.at(n, protowire.Fixed64Type) {
		return
	}
	if len(c.buf) >= 8 {
		*v = T([8]byte(c.buf[:8]))
		c.buf = c.buf[8:]
	}
	if *v == (T{}) {
		c.Fail()
		return
	}
	c.advance(n + 1)
}

// Fixed32 visits four bytes: a fixed32 field, whose first byte is the lowest.
func Fixed32[T ~[4]byte](c *Coder, n Number, v *T) {
	if !c.reading {
		if *v != (T{}) {
			c.begin(n, protowire.Fixed32Type)
			c.buf = append(c.buf, (*v)[:]...)
		}
		return
	}
	*v = T{}
	if !c.at(n, protowire.Fixed32Type) {
		return
	}
	if len(c.buf) >= 4 {
		*v = T([4]byte(c.buf[:4]))
		c.buf = c.buf[4:]
	}
	if *v == (T{}) {
		c.Fail()
		return
	}
	c.advance(n + 1)
}

// String visits a string: a string field. It has to be valid UTF-8 for other
// protobuf libraries to read it.
func String[T ~string](c *Coder, n Number, v *T) {
	if !c.reading {
		if *v != "" {
			c.begin(n, protowire.BytesType)
			c.append(uint64(len(*v)))
			c.buf = append(c.buf, *v...)
		}
		return
	}
	*v = T(c.bytes(n))
}

// Bytes visits bytes of any number: a bytes field.
func Bytes(c *Coder, n Number, v *[]byte) {
	if !c.reading {
		if len(*v) > 0 {
			c.begin(n, protowire.BytesType)
			c.append(uint64(len(*v)))
			c.buf = append(c.buf, *v...)
		}
		return
	}
	*v = append([]byte(nil), c.bytes(n)...)
}

// bytes reads a length-prefixed field. An empty one must be missing.
func (c *Coder) bytes(n Number) []byte {
	if !c.at(n, protowire.BytesType) {
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

// minAlloc is what the smallest allocation takes.
const minAlloc = 16
