package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

var (
	// ErrCorrupt is returned if the bytes are not a valid encoding of the value.
	ErrCorrupt = errors.New("corrupt encoding")
	// ErrUnsupported is wrapped if the encoding is valid but contains a part that this
	// version does not know and must not ignore.
	ErrUnsupported = errors.New("written by a newer version")
)

// A Number identifies a field of a message.
type Number = protowire.Number

// A Coder writes or reads the values that it visits. The zero value is a writer.
type Coder struct {
	buf     []byte // written bytes, or the bytes after the current tag
	reading bool
	tag     uint64 // of the next field to be read; noTag at the end of the message
	err     error
	budget  int // bytes that a reader may still allocate
}

const (
	noTag   = math.MaxUint64
	typeLen = 3 // bits of the type in a tag
)

const (
	// memoryPerByte is the number of bytes that a reader may allocate per byte of input.
	// Genuine data needs up to about 30.
	memoryPerByte = 48
	// memoryBase is the number of bytes that a reader may allocate in addition.
	memoryBase = 64 << 10
)

// NewWriter returns a Coder that appends to buf.
func NewWriter(buf []byte) *Coder { return &Coder{buf: buf} }

// NewReader returns a Coder that reads the message b. It copies all values, so b may be
// reused afterwards. It fails rather than allocate more than 64 KiB plus 48 bytes per
// byte of b, because a short input can encode many empty messages.
func NewReader(b []byte) *Coder {
	c := &Coder{buf: b, reading: true, budget: memoryBase + memoryPerByte*len(b)}
	c.advance(1)
	return c
}

// Reading reports whether the Coder reads, for values that need more than their fields,
// such as rebuilding an index.
func (c *Coder) Reading() bool { return c.reading }

// Bytes returns the bytes that a writer has written.
func (c *Coder) Bytes() []byte { return c.buf }

// Err returns the first error of a reader. A writer has no errors.
func (c *Coder) Err() error { return c.err }

// Done ends the message and returns Err.
func (c *Coder) Done() error {
	if c.reading {
		c.finish()
	}
	return c.err
}

// Fail makes a reader report ErrCorrupt, for values that are impossible.
func (c *Coder) Fail() { c.stop(ErrCorrupt) }

// Unsupported makes a reader report an error that wraps ErrUnsupported.
func (c *Coder) Unsupported(format string, args ...any) {
	c.stop(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrUnsupported))
}

// stop ends reading. All further fields are missing.
func (c *Coder) stop(err error) {
	if c.err == nil {
		c.err = err
	}
	c.buf, c.tag = nil, noTag
}

// spend takes n bytes from the memory budget and reports whether it was sufficient.
func (c *Coder) spend(n int) bool {
	if c.budget -= n; c.budget < 0 {
		c.Fail()
		return false
	}
	return true
}

// begin writes the tag of a field.
func (c *Coder) begin(n Number, t protowire.Type) { c.append(protowire.EncodeTag(n, t)) }

func (c *Coder) append(v uint64) { c.buf = protowire.AppendVarint(c.buf, v) }

// nest writes a field with the output of content and its length, and returns the
// length.
func (c *Coder) nest(n Number, content func()) (size int) {
	c.begin(n, protowire.BytesType)
	c.buf = append(c.buf, 0) // enough for most lengths
	start := len(c.buf)
	content()
	size = len(c.buf) - start
	var room [binary.MaxVarintLen64]byte
	if more := protowire.SizeVarint(uint64(size)) - 1; more > 0 {
		c.buf = slices.Insert(c.buf, start, room[:more]...)
	}
	protowire.AppendVarint(c.buf[:start-1], uint64(size))
	return size
}

// nestUnlessEmpty is nest, but writes nothing if content does not.
func (c *Coder) nestUnlessEmpty(n Number, content func()) {
	before := len(c.buf)
	if c.nest(n, content) == 0 {
		c.buf = c.buf[:before]
	}
}

// nextIs reports whether the next field has number n. It fails if that field has
// another type, or if a field before n was not visited.
func (c *Coder) nextIs(n Number, t protowire.Type) bool {
	if c.tag == protowire.EncodeTag(n, t) {
		return true
	}
	switch next := c.tag >> typeLen; {
	case next == uint64(n):
		c.Fail()
	case next < uint64(n):
		c.finish()
	}
	return false
}

// finish ends reading a message. It fails if a further field, which no function visits,
// follows: ignoring it would change the meaning of the message.
func (c *Coder) finish() {
	if c.tag == noTag {
		return
	}
	n, t := protowire.DecodeTag(c.tag)
	if t == protowire.StartGroupType || protowire.ConsumeFieldValue(n, t, c.buf) < 0 {
		c.Fail()
		return
	}
	c.Unsupported("field %d", n)
}

// advance reads the next tag. Its field number must be at least least.
func (c *Coder) advance(least Number) {
	if len(c.buf) == 0 {
		c.tag = noTag
		return
	}
	c.tag = c.number()
	if n := c.tag >> typeLen; c.err == nil && (n < uint64(least) || n > uint64(protowire.MaxValidNumber)) {
		c.Fail()
	}
}

// number reads a varint, which must be in its shortest form.
func (c *Coder) number() uint64 {
	v, size := protowire.ConsumeVarint(c.buf)
	if size <= 0 || size > 1 && c.buf[size-1] == 0 {
		c.Fail()
		return 0
	}
	c.buf = c.buf[size:]
	return v
}

// take reads a length-prefixed value and returns it as a part of the input.
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
