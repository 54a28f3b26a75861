// Package wire turns plain data into bytes and back with one description for
// both directions: a function that visits a value's fields with a Coder writes
// them when the Coder writes and sets them when it reads. What is written and
// what is read can therefore never drift apart. A Coder that writes changes
// nothing that it visits, so others may read it meanwhile.
//
// The bytes are compact (varints, length-prefixed strings) and carry no field
// names: a change of a description is a new format, and whoever stores the
// bytes stores a version beside them. Reading takes any input: what does not
// fit ends in Err, never in a panic or in memory out of proportion to the input.
package wire

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
)

// ErrCorrupt is reported when the bytes do not hold what is being read.
var ErrCorrupt = errors.New("corrupt encoding")

// A Coder visits values in one direction. Its zero value is a writer.
type Coder struct {
	buf     []byte
	reading bool
	err     error
}

// NewWriter returns a Coder that appends to buf.
func NewWriter(buf []byte) *Coder { return &Coder{buf: buf} }

// NewReader returns a Coder that takes values off b. Strings are copied, so b
// may be reused afterwards.
func NewReader(b []byte) *Coder { return &Coder{buf: b, reading: true} }

// Reading reports the direction, for values that need work around their
// fields, such as an index to be built again.
func (c *Coder) Reading() bool { return c.reading }

// Bytes returns what was written, or what is still to be read.
func (c *Coder) Bytes() []byte { return c.buf }

// Err returns the first failure of reading; a writer has none.
func (c *Coder) Err() error { return c.err }

// Done returns Err, or ErrCorrupt when a reader has bytes left over.
func (c *Coder) Done() error {
	if c.err == nil && c.reading && len(c.buf) > 0 {
		c.err = ErrCorrupt
	}
	return c.err
}

// Uint visits an unsigned number of any width.
func Uint[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Coder, v *T) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(*v))
		return
	}
	u, n := binary.Uvarint(c.buf)
	if c.err != nil || n <= 0 || uint64(T(u)) != u {
		c.fail()
		*v = 0
		return
	}
	c.buf = c.buf[n:]
	*v = T(u)
}

// Int visits a signed number.
func (c *Coder) Int(v *int64) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, *v)
		return
	}
	i, n := binary.Varint(c.buf)
	if c.err != nil || n <= 0 {
		c.fail()
		*v = 0
		return
	}
	c.buf = c.buf[n:]
	*v = i
}

// Bool visits a truth value.
func (c *Coder) Bool(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	Uint(c, &b)
	if !c.reading {
		return
	}
	if b > 1 {
		c.fail()
	}
	*v = b == 1
}

// Float visits a floating-point number.
func (c *Coder) Float(v *float64) {
	bits := math.Float64bits(*v)
	Uint(c, &bits)
	if c.reading {
		*v = math.Float64frombits(bits)
	}
}

// String visits a string, or any type made of one.
func String[T ~string](c *Coder, v *T) {
	n := c.Len(len(*v))
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	*v = T(c.take(n))
}

// Fixed visits bytes whose number both sides know.
func (c *Coder) Fixed(b []byte) {
	if !c.reading {
		c.buf = append(c.buf, b...)
		return
	}
	copy(b, c.take(len(b)))
}

// Blob visits bytes of any number.
func (c *Coder) Blob(b *[]byte) {
	n := c.Len(len(*b))
	if !c.reading {
		c.buf = append(c.buf, *b...)
		return
	}
	*b = append([]byte(nil), c.take(n)...)
}

// Len visits the number of things that follow. A reader gets at most as many
// as there are bytes left, since everything takes at least one.
func (c *Coder) Len(n int) int {
	u := uint64(n) //nolint:gosec // a length is not negative
	Uint(c, &u)
	if c.reading && u > uint64(len(c.buf)) {
		c.fail()
		return 0
	}
	return int(u) //nolint:gosec // what is read is no longer than the bytes
}

// Slice visits every element of a slice.
func Slice[T any](c *Coder, s *[]T, each func(*Coder, *T)) {
	n := c.Len(len(*s))
	if !c.reading {
		for i := range *s {
			each(c, &(*s)[i])
		}
		return
	}
	*s = nil
	for range n {
		*s = append(*s, *new(T))
		if each(c, &(*s)[len(*s)-1]); c.err != nil {
			return
		}
	}
}

// Map visits every pair of a map in the order of the keys, so that equal maps
// have equal bytes. A reader always gets a map that can be written to.
func Map[K cmp.Ordered, V any](c *Coder, m *map[K]V, key func(*Coder, *K), value func(*Coder, *V)) {
	n := c.Len(len(*m))
	var k K // one variable for all, since what each gets a pointer to is allocated
	var v V
	if !c.reading {
		for _, k = range slices.Sorted(maps.Keys(*m)) {
			v = (*m)[k]
			key(c, &k)
			value(c, &v)
		}
		return
	}
	// A pair takes little room here and may take much there: a number that lies must not
	// allocate for all of them.
	*m = make(map[K]V, min(n, len(c.buf)/16))
	for range n {
		var none V
		v = none
		key(c, &k)
		value(c, &v)
		if c.err != nil {
			return
		}
		(*m)[k] = v
	}
}

// Optional visits a value that may be missing.
func Optional[T any](c *Coder, p **T, each func(*Coder, *T)) {
	present := *p != nil
	c.Bool(&present)
	if c.reading {
		*p = nil
		if present {
			*p = new(T)
		}
	}
	if present {
		each(c, *p)
	}
}

func (c *Coder) take(n int) []byte {
	if c.err != nil || n > len(c.buf) {
		c.fail()
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

// Fail makes a reader report ErrCorrupt: what it read cannot be.
func (c *Coder) Fail() { c.fail() }

func (c *Coder) fail() {
	if c.err == nil {
		c.err = ErrCorrupt
	}
	c.buf = nil
}
