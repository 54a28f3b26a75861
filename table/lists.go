package table

import (
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Raw visits a field whose content has its own encoding: a writer calls write, which
// appends the content, and omits the field if the content is empty. A reader calls read
// with the content, which is valid only during the call, and empty if the field is
// missing.
func Raw(c *Coder, n Number, write func(b []byte) []byte, read func(b []byte) error) {
	if !c.reading {
		c.nestUnlessEmpty(n, func() { c.buf = write(c.buf) })
		return
	}
	var content []byte
	if c.nextIs(n, protowire.BytesType) {
		if content = c.take(); len(content) == 0 {
			c.Fail()
		}
	}
	if c.err != nil {
		return
	}
	if err := read(content); err != nil {
		c.stop(err)
		return
	}
	if len(content) > 0 {
		c.advance(n + 1)
	}
}

// Slice visits a repeated message field.
func Slice[T any](c *Coder, n Number, s *[]T, describe func(*Coder, *T)) {
	if !c.reading {
		for i := range *s {
			c.nest(n, func() { describe(c, &(*s)[i]) })
		}
		return
	}
	readList(c, n, s, func(v *T) {
		b := c.take()
		rest := c.buf
		c.buf = b
		c.advance(1)
		describe(c, v)
		if c.finish(); c.err == nil {
			c.buf = rest
		}
	})
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

// readList reads consecutive length-prefixed fields, after the tag of each.
func readList[T any](c *Coder, n Number, s *[]T, element func(*T)) {
	*s = nil
	if !c.nextIs(n, protowire.BytesType) {
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
	if c.tag>>typeLen == uint64(n) {
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
