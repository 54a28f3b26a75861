package codec

import "google.golang.org/protobuf/encoding/protowire"

// Message visits an embedded message. It is omitted if all its fields are zero.
func Message[T any](c *Coder, n Number, v *T, describe func(*Coder, *T)) {
	Large(c, n, 0, v, describe)
}

// Large is Message for a value whose encoding is about size bytes long. A good estimate
// avoids moving the encoding once its length is known.
func Large[T any](c *Coder, n Number, size int, v *T, describe func(*Coder, *T)) {
	if c.reading {
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
		c.done(n)
		return
	}
	before := len(c.buf)
	if write(c, n, size, v, describe) == 0 {
		c.buf = c.buf[:before]
	}
}

// Slice visits a repeated message field.
func Slice[T any](c *Coder, n Number, s *[]T, describe func(*Coder, *T)) {
	if !c.reading {
		for i := range *s {
			write(c, n, 0, &(*s)[i], describe)
		}
		return
	}
	*s = nil
	if !c.at(n, protowire.BytesType) {
		return
	}
	all := elements[T](c)
	for i := range all {
		if read(c, &all[i], describe); c.err != nil {
			return
		}
	}
	c.done(n)
	*s = all
}

// write writes a message and returns the size of its encoding. hint is the expected
// size.
func write[T any](c *Coder, n Number, hint int, v *T, describe func(*Coder, *T)) int {
	c.begin(n, protowire.BytesType)
	room := 1 // bytes reserved for the length
	if c.buf = append(c.buf, 0); hint >= 0x80 {
		room = protowire.SizeVarint(uint64(hint))
		c.buf = append(c.buf, make([]byte, room-1)...)
	}
	start := len(c.buf)
	describe(c, v)
	size := len(c.buf) - start
	if size < 0x80 && room == 1 {
		c.buf[start-1] = byte(size) //nolint:gosec // below 128
	} else {
		c.prefix(start, room, size)
	}
	return size
}

// prefix writes the length of the message that begins at start and that room reserved
// bytes precede.
func (c *Coder) prefix(start, room, size int) {
	need := protowire.SizeVarint(uint64(size)) //nolint:gosec // not negative
	if more := need - room; more != 0 {
		for range more {
			c.buf = append(c.buf, 0)
		}
		copy(c.buf[start+more:], c.buf[start:start+size])
		c.buf = c.buf[:start+more+size]
	}
	protowire.AppendVarint(c.buf[:start-room], uint64(size)) //nolint:gosec // not negative
}

// read reads a message whose tag is the current one.
func read[T any](c *Coder, v *T, describe func(*Coder, *T)) {
	n := Number(c.tag >> typeLen) //nolint:gosec // checked by advance
	b := c.take()
	rest := c.buf
	c.buf = b
	c.advance(1)
	describe(c, v)
	if c.finish(); c.err == nil {
		c.buf = rest
		c.advance(n)
	}
}
