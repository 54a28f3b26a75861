package codec

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

var (
	// ErrCorrupt is reported when the bytes are not an encoding of what is read.
	ErrCorrupt = errors.New("corrupt encoding")
	// ErrUnsupported is wrapped where the bytes are intact but have a meaning that
	// this version does not know, and cannot do without.
	ErrUnsupported = errors.New("written by a newer version")
)

// A Number identifies a field of a message.
type Number = protowire.Number

// A Coder visits values in one direction. Its zero value is a writer.
type Coder struct {
	buf     []byte // what was written, or what follows the next tag of the message
	reading bool
	err     error
	budget  int // bytes that a reader may still allocate
	message
}

// A message is the state of the message that is being visited.
type message struct {
	tag     uint64  // of the next field that is read; noTag at the end
	carried []byte  // unknown fields that are not written yet
	unknown []byte  // unknown fields that were read
	keep    *[]byte // where to put them at the end; may be nil
	closed  bool    // there must be none
}

const (
	noTag   = math.MaxUint64
	typeLen = 3 // bits of a tag that are the type
)

const (
	// memoryPerByte is how many bytes a reader may allocate for each byte of input.
	// The most that real data needs is about 30, for entries of a journal that have
	// nothing but a type.
	memoryPerByte = 48
	// memoryBase is how many more it may allocate for an input of any size.
	memoryBase = 64 << 10
)

// NewWriter returns a Coder that appends to buf.
func NewWriter(buf []byte) *Coder { return &Coder{buf: buf} }

// NewReader returns a Coder that reads the message b. Everything is copied, so b may
// be reused afterwards. The reader fails rather than allocate more than 64 KiB
// and 48 bytes for each byte of b: few bytes can encode many empty messages.
func NewReader(b []byte) *Coder {
	c := &Coder{buf: b, reading: true, budget: memoryBase + memoryPerByte*len(b)}
	c.advance(1)
	return c
}

// Reading reports the direction, for values that need work besides their fields,
// such as an index to be rebuilt.
func (c *Coder) Reading() bool { return c.reading }

// Bytes ends the message of a writer and returns what was written.
func (c *Coder) Bytes() []byte {
	if !c.reading {
		c.finish()
	}
	return c.buf
}

// Err returns the first failure of a reader. A writer has none.
func (c *Coder) Err() error { return c.err }

// Done ends the message, and returns Err.
func (c *Coder) Done() error {
	c.finish()
	return c.err
}

// Next returns the number of the next field to be read, 0 at the end of the message
// and for writers.
func (c *Coder) Next() Number {
	if !c.reading || c.tag == noTag {
		return 0
	}
	return Number(c.tag >> typeLen) //nolint:gosec // checked by advance
}

// Fail makes a reader report ErrCorrupt: what it has read is impossible.
func (c *Coder) Fail() { c.stop(ErrCorrupt) }

// Unsupported makes a reader report an error that wraps ErrUnsupported.
func (c *Coder) Unsupported(format string, args ...any) {
	c.stop(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrUnsupported))
}

// stop ends reading: from now on every field is missing.
func (c *Coder) stop(err error) {
	if c.err == nil {
		c.err = err
	}
	c.buf, c.tag, c.unknown = nil, noTag, nil
}

// spend takes n bytes from the budget and reports whether it had them.
func (c *Coder) spend(n int) bool {
	if c.budget -= n; c.budget < 0 {
		c.Fail()
		return false
	}
	return true
}

// begin writes the tag of a field, after unknown fields with lower numbers.
func (c *Coder) begin(n Number, t protowire.Type) {
	if len(c.carried) > 0 {
		c.carry(n)
	}
	if tag := protowire.EncodeTag(n, t); tag < 0x80 {
		c.buf = append(c.buf, byte(tag))
	} else {
		c.buf = protowire.AppendVarint(c.buf, tag)
	}
}

// append writes a varint.
func (c *Coder) append(v uint64) {
	for v >= 0x80 {
		c.buf = append(c.buf, byte(v)|0x80)
		v >>= 7
	}
	c.buf = append(c.buf, byte(v))
}

// at reports whether the next field has a number, and fails if that field has
// another type. Unknown fields before it are skipped.
func (c *Coder) at(n Number, t protowire.Type) bool {
	tag := protowire.EncodeTag(n, t)
	return c.tag == tag || c.tag>>typeLen <= uint64(n) && c.seek(tag) //nolint:gosec // not negative
}

func (c *Coder) seek(tag uint64) bool {
	for c.tag>>typeLen < tag>>typeLen {
		c.skip()
	}
	if c.tag>>typeLen == tag>>typeLen && c.tag != tag {
		c.Fail()
	}
	return c.tag == tag
}

// advance reads the next tag, whose number is at least least.
func (c *Coder) advance(least Number) {
	if len(c.buf) == 0 {
		c.tag = noTag
		return
	}
	if tag := uint64(c.buf[0]); tag < 0x80 {
		c.tag, c.buf = tag, c.buf[1:]
	} else {
		c.tag = c.number()
	}
	if n := c.tag >> typeLen; c.err == nil && (n < uint64(least) || n > uint64(protowire.MaxValidNumber)) { //nolint:gosec // not negative
		c.Fail()
	}
}

// number reads a varint in its shortest form.
func (c *Coder) number() uint64 {
	v, size := protowire.ConsumeVarint(c.buf)
	if size <= 0 || size > 1 && c.buf[size-1] == 0 {
		c.Fail()
		return 0
	}
	c.buf = c.buf[size:]
	return v
}

// take reads the length-prefixed value of a field. It is a part of the input.
func (c *Coder) take() []byte {
	n := c.number()
	if n > uint64(len(c.buf)) {
		c.Fail()
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}
