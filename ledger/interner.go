package ledger

import "github.com/ccwatchd/ccwatchd/state/codec"

// An interner assigns small ids to values that repeat: 0, 1, 2 ... in the order of
// their first use.
type interner[T comparable] struct {
	values  []T // by id
	ids     map[T]uint32
	last    uint32 // 1 + the id returned last, which is likely to be asked for next
	unknown codec.Unknowns[uint32]
}

// id returns the id of v.
func (n *interner[T]) id(v T) uint32 {
	if n.last > 0 && n.values[n.last-1] == v {
		return n.last - 1
	}
	id, ok := n.ids[v]
	if !ok {
		id = uint32(len(n.values)) //nolint:gosec // the labels are limited
		if n.ids == nil {
			n.ids = make(map[T]uint32)
		}
		n.ids[v] = id
		n.values = append(n.values, v)
	}
	n.last = id + 1
	return id
}

// code visits the values. A value with unknown fields keeps its id, but id never
// returns that: to this version the value means something else.
func (n *interner[T]) code(c *codec.Coder, field codec.Number, visit func(*codec.Coder, *T)) {
	if c.Reading() {
		*n = interner[T]{ids: make(map[T]uint32)}
	}
	id := uint32(0)
	codec.Slice(c, field, &n.values, func(c *codec.Coder, v *T) {
		n.unknown.Carry(c, id)
		visit(c, v)
		n.unknown.Rest(c, id)
		if c.Reading() && n.unknown[id] == nil {
			n.ids[*v] = id
		}
		id++
	})
}
