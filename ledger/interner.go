package ledger

import (
	"iter"

	"github.com/ccwatchd/ccwatchd/codec"
)

// A numbering gives small numbers to values of which there are few, but that
// much is labelled with. They count up from 0 in the order in which the values
// came.
type interner[T comparable] struct {
	values     []T // by number
	ids map[T]uint32
	last    uint32 // 1 more than what was asked for last, which is likely to be asked for next
	unknown codec.Unknowns[uint32]
}

// of returns the number of v.
func (n *interner[T]) id(v T) uint32 {
	if n.last > 0 && n.values[n.last-1] == v {
		return n.last - 1
	}
	number, ok := n.ids[v]
	if !ok {
		number = uint32(len(n.values)) //nolint:gosec // the labels are limited
		if n.ids == nil {
			n.ids = make(map[T]uint32)
		}
		n.ids[v] = number
		n.values = append(n.values, v)
	}
	n.last = number + 1
	return number
}

// codeNumbering visits the values of a numbering. A value with unknown fields keeps
// its number, but is none of those that this version gives to anything.
func codeInterner[T comparable](c *codec.Coder, n codec.Number, of *interner[T], each func(*codec.Coder, *T)) {
	if c.Reading() {
		*of = interner[T]{ids: make(map[T]uint32)}
	}
	all := of.iterate()
	number := uint32(0)
	codec.Stream(c, n, all, of.enter, func(c *codec.Coder, v *T) {
		of.unknown.Carry(c, number)
		each(c, v)
		of.unknown.Rest(c, number)
		number++
	})
}

// values iterates over the values by their numbers.
func (n *interner[T]) iterate() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range n.values {
			if v := n.values[i]; !yield(&v) {
				return
			}
		}
	}
}

// enter gives the next number to a value that was read.
func (n *interner[T]) enter(v *T) {
	number := uint32(len(n.values)) //nolint:gosec // the labels are limited
	if n.values = append(n.values, *v); n.unknown[number] == nil {
		n.ids[*v] = number
	}
}
