package codec

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Uints visits a packed repeated uint32 or uint64 field.
func Uints[T ~uint32 | ~uint64](c *Coder, n Number, s *[]T) {
	if !c.reading {
		c.nestUnlessEmpty(n, func() {
			for _, v := range *s {
				c.append(uint64(v))
			}
		})
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
		c.nestUnlessEmpty(n, func() {
			for _, v := range *s {
				c.buf = binary.LittleEndian.AppendUint64(c.buf, math.Float64bits(v))
			}
		})
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
