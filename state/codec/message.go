package codec

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message visits an embedded message. It is omitted if all its fields are zero.
func Message[T any](c *Coder, n Number, v *T, describe func(*Coder, *T)) {
	Large(c, n, 0, v, describe)
}

// Large is Message for a value whose encoding is about size bytes long. A good estimate
// avoids moving the encoding once its length is known.
func Large[T any](c *Coder, n Number, size int, v *T, describe func(*Coder, *T)) {
	if c.reading {
		if !c.at(n, protowire.BytesType) {
			outer := c.missing()
			describe(c, v)
			c.leave(outer)
			return
		}
		if len(c.buf) > 0 && c.buf[0] == 0 {
			c.Fail()
		}
		read(c, v, describe)
		c.done(n)
		return
	}
	if len(c.carried) > 0 {
		c.carry(n)
	}
	before := len(c.buf)
	if write(c, n, size, v, describe) == 0 {
		c.buf = c.buf[:before]
	}
}

// Optional visits an embedded message that may be nil. An empty one is written.
func Optional[T any](c *Coder, n Number, p **T, describe func(*Coder, *T)) {
	if !c.reading {
		if *p != nil {
			write(c, n, 0, *p, describe)
		}
		return
	}
	*p = nil
	if !c.at(n, protowire.BytesType) || !c.spend(int(unsafe.Sizeof(**p))+minAlloc) {
		return
	}
	*p = new(T)
	read(c, *p, describe)
	c.done(n)
}

// Required visits an embedded message that is always present: it is written even if it
// is empty, and a reader fails if it is missing.
func Required[T any](c *Coder, n Number, v *T, describe func(*Coder, *T)) {
	if !c.reading {
		write(c, n, 0, v, describe)
		return
	}
	if !c.at(n, protowire.BytesType) {
		c.Fail()
		return
	}
	read(c, v, describe)
	c.done(n)
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

// Stream visits a repeated message field whose elements are not in a slice: a writer
// writes all, and a reader calls add for each. The element is only valid during the
// call.
func Stream[T any](c *Coder, n Number, all iter.Seq[*T], add func(*T), describe func(*Coder, *T)) {
	if !c.reading {
		for v := range all {
			write(c, n, 0, v, describe)
		}
		return
	}
	if !c.at(n, protowire.BytesType) {
		return
	}
	var v T
	count := c.count()
	if !c.spend(2 * count * int(unsafe.Sizeof(v))) {
		return
	}
	for range count {
		v = *new(T)
		if read(c, &v, describe); c.err != nil {
			return
		}
		add(&v)
	}
	c.done(n)
}

// Map visits the entries of a map in the order of their keys: a repeated field of
// messages, in which field 1 is the key. The unknown fields of each entry are kept in
// unknown unless it is nil. A reader always sets a non-nil map.
func Map[K cmp.Ordered, V any](c *Coder, n Number, m *map[K]V, unknown *Unknowns[K], describe func(*Coder, *K, *V)) {
	visit := func(c *Coder, e *entry[K, V]) { describe(c, &e.key, &e.value) }
	var e entry[K, V] // reused, because it is heap-allocated
	if !c.reading {
		for _, e.key = range slices.Sorted(maps.Keys(*m)) {
			e.value = (*m)[e.key]
			write(c, n, 0, &e, func(c *Coder, e *entry[K, V]) {
				unknown.Carry(c, e.key)
				visit(c, e)
			})
		}
		return
	}
	readMap(c, n, m, unknown, visit)
}

type entry[K, V any] struct {
	key   K
	value V
}

func readMap[K cmp.Ordered, V any](c *Coder, n Number, m *map[K]V, unknown *Unknowns[K], visit func(*Coder, *entry[K, V])) {
	if unknown != nil {
		*unknown = nil
	}
	count := 0
	if c.at(n, protowire.BytesType) {
		count = c.count()
	}
	// A map takes up to twice the size of its entries, and at least that of eight.
	if !c.spend(max(8, 5*count/2) * int(unsafe.Sizeof(entry[K, V]{}))) {
		count = 0
	}
	*m = make(map[K]V, count)
	var e entry[K, V]
	for i := range count {
		last := e.key
		e = entry[K, V]{}
		read(c, &e, func(c *Coder, e *entry[K, V]) {
			visit(c, e)
			unknown.Rest(c, e.key)
		})
		if i > 0 && e.key <= last {
			c.Fail()
		}
		if c.err != nil {
			return
		}
		(*m)[e.key] = e.value
	}
	if count > 0 {
		c.done(n)
	}
}

// write writes a message and returns the size of its encoding. hint is the expected
// size.
func write[T any](c *Coder, n Number, hint int, v *T, describe func(*Coder, *T)) int {
	c.begin(n, protowire.BytesType)
	outer := c.carried
	c.carried = nil
	room := 1 // bytes reserved for the length
	if c.buf = append(c.buf, 0); hint >= 0x80 {
		room = protowire.SizeVarint(uint64(hint))
		c.buf = append(c.buf, make([]byte, room-1)...)
	}
	start := len(c.buf)
	describe(c, v)
	if len(c.carried) > 0 {
		c.finish()
	}
	c.carried = outer
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
	outer, rest := c.message, c.buf
	c.message = message{}
	c.buf = b
	c.advance(1)
	describe(c, v)
	c.finish()
	c.message, c.buf = outer, rest
	if c.err != nil {
		c.stop(c.err)
		return
	}
	c.advance(n)
}

// missing starts reading a missing message, which sets its fields to zero.
func (c *Coder) missing() (outer message) {
	outer = c.message
	c.message = message{tag: noTag}
	return outer
}

func (c *Coder) leave(outer message) {
	c.finish()
	if c.message = outer; c.err != nil {
		c.stop(c.err)
	}
}
