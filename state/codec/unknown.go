package codec

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Unknown keeps the unknown fields of the message in p: a reader sets p at the end of
// the message, a writer writes them between the others. Call it before the first field.
func (c *Coder) Unknown(p *[]byte) {
	if !c.reading {
		c.carried = *p
		return
	}
	*p = nil
	c.keep = p
}

// Closed makes unknown fields of the message an error, because ignoring them would
// change its meaning. Call it before the first field.
func (c *Coder) Closed() { c.closed = true }

// Unknowns keeps the unknown fields of messages by key, for messages that mostly have
// none. Call its methods instead of Coder.Unknown.
type Unknowns[K comparable] map[K][]byte

// Carry makes a writer write the unknown fields of the message with key k. Call it
// before the first field.
func (u *Unknowns[K]) Carry(c *Coder, k K) {
	if !c.reading && u != nil {
		c.carried = (*u)[k]
	}
}

// Rest makes a reader keep the unknown fields of the message under key k. Call it after
// the last field.
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

// skip collects the next field as an unknown one.
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
