package codec

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Unknown says where the unknown fields of the message are kept. A reader sets p
// once the message is read, a writer writes them between the others. It is called
// before the first field.
func (c *Coder) Unknown(p *[]byte) {
	if !c.reading {
		c.carried = *p
		return
	}
	*p = nil
	c.keep = p
}

// Closed says that the message must not have unknown fields: ignoring them would
// change its meaning. It is called before the first field.
func (c *Coder) Closed() { c.closed = true }

// Unknowns keeps the unknown fields of messages by a key, where most have none. Its
// methods are called by descriptions in place of Coder.Unknown.
type Unknowns[K comparable] map[K][]byte

// Carry is called before the first field; a writer then writes the unknown fields
// of the message with key k.
func (u *Unknowns[K]) Carry(c *Coder, k K) {
	if !c.reading && u != nil {
		c.carried = (*u)[k]
	}
}

// Rest is called after the last field; a reader keeps the unknown fields of the
// message under k.
func (u *Unknowns[K]) Rest(c *Coder, k K) {
	if !c.reading || u == nil {
		return
	}
	c.drain()
	if len(c.unknown) == 0 || !c.spend(4*minAlloc) {
		return
	}
	if *u == nil {
		*u = make(Unknowns[K])
	}
	(*u)[k] = slices.Clip(c.unknown)
}

// skip keeps the next field as an unknown one.
func (c *Coder) skip() {
	n, t := protowire.DecodeTag(c.tag)
	size := -1
	if t != protowire.StartGroupType && t != protowire.EndGroupType {
		size = protowire.ConsumeFieldValue(n, t, c.buf)
	}
	if size < 0 || !c.spend(4*(size+minAlloc)) {
		c.Fail()
		return
	}
	c.unknown = protowire.AppendVarint(c.unknown, c.tag)
	c.unknown = append(c.unknown, c.buf[:size]...)
	c.buf = c.buf[size:]
	c.advance(n)
}

func (c *Coder) drain() {
	for c.reading && c.tag != noTag {
		c.skip()
	}
}

// finish ends a message.
func (c *Coder) finish() {
	if !c.reading {
		c.carry(protowire.MaxValidNumber + 1)
		return
	}
	c.drain()
	switch {
	case len(c.unknown) == 0:
	case c.closed:
		c.Unsupported("unknown field")
	case c.keep != nil:
		*c.keep = slices.Clip(c.unknown)
	}
	c.unknown = nil
}

// carry writes the unknown fields with numbers below n.
func (c *Coder) carry(n Number) {
	for len(c.carried) > 0 {
		number, _, size := protowire.ConsumeField(c.carried)
		if size < 0 || number >= n {
			return
		}
		c.buf = append(c.buf, c.carried[:size]...)
		c.carried = c.carried[size:]
	}
}
