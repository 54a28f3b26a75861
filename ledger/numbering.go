package ledger

import (
	"iter"

	"github.com/ccwatchd/ccwatchd/codec"
)

// A numbering gives small numbers to values of which there are few, but that
// much is labelled with. They count up from 0 in the order in which the values
// came.
type numbering[T comparable] struct {
	all     []T // by number
	numbers map[T]uint32
	last    uint32 // 1 more than what was asked for last, which is likely to be asked for next
	unknown codec.Unknowns[uint32]
}

// of returns the number of v.
func (n *numbering[T]) of(v T) uint32 {
	if n.last > 0 && n.all[n.last-1] == v {
		return n.last - 1
	}
	number, ok := n.numbers[v]
	if !ok {
		number = uint32(len(n.all)) //nolint:gosec // the labels are limited
		if n.numbers == nil {
			n.numbers = make(map[T]uint32)
		}
		n.numbers[v] = number
		n.all = append(n.all, v)
	}
	n.last = number + 1
	return number
}

// codeNumbering visits the values of a numbering. A value with unknown fields keeps
// its number, but is none of those that this version gives to anything.
func codeNumbering[T comparable](c *codec.Coder, n codec.Number, of *numbering[T], each func(*codec.Coder, *T)) {
	if c.Reading() {
		*of = numbering[T]{numbers: make(map[T]uint32)}
	}
	all := of.values()
	number := uint32(0)
	codec.Stream(c, n, all, of.enter, func(c *codec.Coder, v *T) {
		of.unknown.Carry(c, number)
		each(c, v)
		of.unknown.Rest(c, number)
		number++
	})
}

// values iterates over the values by their numbers.
func (n *numbering[T]) values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range n.all {
			if v := n.all[i]; !yield(&v) {
				return
			}
		}
	}
}

// enter gives the next number to a value that was read.
func (n *numbering[T]) enter(v *T) {
	number := uint32(len(n.all)) //nolint:gosec // the labels are limited
	if n.all = append(n.all, *v); n.unknown[number] == nil {
		n.numbers[*v] = number
	}
}
