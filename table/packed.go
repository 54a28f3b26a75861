package table

import (
	"encoding/binary"
	"math"
	"slices"
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
	content := Coder{buf: c.bytes(n), reading: true}
	count := 0
	for _, b := range content.buf {
		count += int(^b >> 7) // the last byte of a varint is below 128
	}
	if !c.spend(count * int(unsafe.Sizeof(T(0)))) {
		return
	}
	all := slices.Grow([]T(nil), count)
	for len(content.buf) > 0 {
		u := content.number()
		if all = append(all, T(u)); uint64(T(u)) != u {
			content.Fail()
		}
	}
	if content.err != nil {
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
		return
	}
	for ; len(b) > 0; b = b[8:] {
		*s = append(*s, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
}
