package codec

import (
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message visits an embedded message. It is omitted if all its fields are zero.
func Message[T any](c *Coder, n Number, v *T, describe func(*Coder, *T)) {
	if !c.reading {
		c.nestUnlessEmpty(n, func() { describe(c, v) })
		return
	}
	if !c.at(n, protowire.BytesType) {
		next := c.tag
		c.tag = noTag
		if describe(c, v); c.err == nil {
			c.tag = next
		}
		return
	}
	if len(c.buf) > 0 && c.buf[0] == 0 {
		c.Fail()
	}
	read(c, v, describe)
	c.advance(n + 1)
}

// Slice visits a repeated message field.
func Slice[T any](c *Coder, n Number, s *[]T, describe func(*Coder, *T)) {
	if !c.reading {
		for i := range *s {
			c.nest(n, func() { describe(c, &(*s)[i]) })
		}
		return
	}
	readList(c, n, s, func(v *T) { read(c, v, describe) })
}

// Strings visits a repeated string field.
func Strings[T ~string](c *Coder, n Number, s *[]T) {
	if !c.reading {
		for _, v := range *s {
			c.begin(n, protowire.BytesType)
			c.buf = protowire.AppendString(c.buf, string(v))
		}
		return
	}
	readList(c, n, s, func(v *T) {
		if b := c.take(); c.spend(len(b) + minAlloc) {
			*v = T(b)
		}
	})
}

// read reads a message after its tag.
func read[T any](c *Coder, v *T, describe func(*Coder, *T)) {
	b := c.take()
	rest := c.buf
	c.buf = b
	c.advance(1)
	describe(c, v)
	if c.finish(); c.err == nil {
		c.buf = rest
	}
}

// readList reads consecutive length-prefixed fields, after the tag of each.
func readList[T any](c *Coder, n Number, s *[]T, element func(*T)) {
	*s = nil
	if !c.at(n, protowire.BytesType) {
		return
	}
	count := c.count()
	if !c.spend(count * int(unsafe.Sizeof(*new(T)))) {
		return
	}
	all := make([]T, count)
	for i := range all {
		element(&all[i])
		if c.advance(n); c.err != nil {
			return
		}
	}
	if c.tag>>typeLen == uint64(n) { //nolint:gosec // not negative
		c.Fail()
	}
	*s = all
}

// count returns the number of consecutive length-prefixed fields with the current tag.
func (c *Coder) count() int {
	b, count := c.buf, 0
	for {
		_, size := protowire.ConsumeBytes(b)
		if size < 0 {
			c.Fail()
			return 0
		}
		count++
		tag, k := protowire.ConsumeVarint(b[size:])
		if k < 0 || tag != c.tag {
			return count
		}
		b = b[size+k:]
	}
}
