package codec

import (
	"encoding/binary"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Strings visits a repeated string field.
func Strings[T ~string](c *Coder, n Number, s *[]T) {
	if !c.reading {
		for _, v := range *s {
			c.begin(n, protowire.BytesType)
			c.buf = protowire.AppendString(c.buf, string(v))
		}
		return
	}
	*s = nil
	if !c.at(n, protowire.BytesType) {
		return
	}
	all := elements[T](c)
	for i := range all {
		b := c.take()
		if !c.spend(len(b) + minAlloc) {
			return
		}
		all[i] = T(b)
		c.advance(n)
	}
	c.done(n)
	*s = all
}

// Uints visits a packed repeated uint32 or uint64 field.
func Uints[T ~uint32 | ~uint64](c *Coder, n Number, s *[]T) {
	if !c.reading {
		if len(*s) == 0 {
			return
		}
		size := 0
		for _, v := range *s {
			size += protowire.SizeVarint(uint64(v))
		}
		c.begin(n, protowire.BytesType)
		c.append(uint64(size))
		for _, v := range *s {
			c.append(uint64(v))
		}
		return
	}
	*s = nil
	b := c.bytes(n)
	count := 0
	for _, v := range b {
		count += int(^v >> 7) // the last byte of a varint is below 128
	}
	if count == 0 && len(b) > 0 {
		c.Fail()
	}
	if count == 0 || !c.spend(count*int(unsafe.Sizeof(T(0)))) {
		return
	}
	all := make([]T, count)
	inner := Coder{buf: b, reading: true}
	for i := range all {
		u := inner.number()
		if all[i] = T(u); uint64(all[i]) != u {
			inner.Fail()
		}
	}
	if inner.err != nil || len(inner.buf) > 0 {
		c.Fail()
		return
	}
	*s = all
}

// Floats visits a packed repeated double field.
func Floats(c *Coder, n Number, s *[]float64) {
	if !c.reading {
		if len(*s) == 0 {
			return
		}
		c.begin(n, protowire.BytesType)
		c.append(uint64(8 * len(*s)))
		for _, v := range *s {
			c.buf = binary.LittleEndian.AppendUint64(c.buf, math.Float64bits(v))
		}
		return
	}
	*s = nil
	b := c.bytes(n)
	if len(b)%8 != 0 {
		c.Fail()
	}
	if c.err != nil || len(b) == 0 {
		return
	}
	*s = make([]float64, len(b)/8)
	for i := range *s {
		(*s)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// elements returns one zero value for each of the consecutive fields with the current
// tag; nil if they exceed the memory budget.
func elements[T any](c *Coder) []T {
	count := c.count()
	if !c.spend(count * int(unsafe.Sizeof(*new(T)))) {
		return nil
	}
	return make([]T, count)
}

// count returns the number of consecutive length-prefixed fields with the current tag.
func (c *Coder) count() int {
	b, count := c.buf, 0
	for {
		size, k := protowire.ConsumeVarint(b)
		if k <= 0 || size > uint64(len(b)-k) { //nolint:gosec // not negative
			c.Fail()
			return 0
		}
		count++
		b = b[k+int(size):] //nolint:gosec // at most len(b)
		tag, k := protowire.ConsumeVarint(b)
		if k <= 0 || tag != c.tag {
			return count
		}
		b = b[k:]
	}
}

// done checks that the field that follows a list has a higher number.
func (c *Coder) done(n Number) {
	if c.tag>>typeLen <= uint64(n) { //nolint:gosec // not negative
		c.Fail()
	}
}
