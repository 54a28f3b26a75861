package ledger

import "github.com/ccwatchd/ccwatchd/codec"

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
