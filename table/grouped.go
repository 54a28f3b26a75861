package table

import (
	"cmp"
	"iter"
	"slices"
)

// A Grouped table has pairs as keys and no rows: sets of values that belong to a number
// each, which are small.
type Grouped[A ~uint32, B cmp.Ordered] struct {
	*Table[Pair[A, B], struct{}]
	groups *groups[A, B]
}

// NewGrouped adds a grouped table to a set.
func NewGrouped[A ~uint32, B cmp.Ordered](s *Set, n Number, value Key[B]) Grouped[A, B] {
	all := new(groups[A, B])
	key := PairKey(UintKey[A](), value)
	return Grouped[A, B]{newTable(s, n, key, rows[Pair[A, B], struct{}](all), func(*Coder, *struct{}) {}), all}
}

// Of returns the values of a number. They must not be changed, and are valid until the
// next change of the table.
func (g Grouped[A, B]) Of(a A) []B {
	group, _ := g.groups.byNumber.Get(a)
	return group
}

// DeleteAll removes the values of a number.
func (g Grouped[A, B]) DeleteAll(a A) {
	for {
		group := g.Of(a)
		if len(group) == 0 {
			return
		}
		g.Delete(Pair[A, B]{a, group[len(group)-1]})
	}
}

// groups are the rows of a grouped table. Each set is a list in order.
type groups[A ~uint32, B cmp.Ordered] struct {
	byNumber numbered[A, []B]
	n        int
}

func (g *groups[A, B]) find(k Pair[A, B]) (group []B, at int, found bool) {
	group, _ = g.byNumber.Get(k.A)
	at, found = slices.BinarySearch(group, k.B)
	return group, at, found
}

func (g *groups[A, B]) Len() int { return g.n }

func (g *groups[A, B]) Get(k Pair[A, B]) (struct{}, bool) {
	_, _, found := g.find(k)
	return struct{}{}, found
}

func (g *groups[A, B]) Put(k Pair[A, B], _ struct{}) {
	if group, at, found := g.find(k); !found {
		g.byNumber.Put(k.A, slices.Insert(group, at, k.B))
		g.n++
	}
}

func (g *groups[A, B]) Delete(k Pair[A, B]) {
	group, at, found := g.find(k)
	if !found {
		return
	}
	g.n--
	if group = slices.Delete(group, at, at+1); len(group) == 0 {
		g.byNumber.Delete(k.A)
		return
	}
	g.byNumber.Put(k.A, group)
}

func (g *groups[A, B]) All() iter.Seq2[Pair[A, B], struct{}] {
	return func(yield func(Pair[A, B], struct{}) bool) {
		for a, group := range g.byNumber.All() {
			for _, b := range group {
				if !yield(Pair[A, B]{a, b}, struct{}{}) {
					return
				}
			}
		}
	}
}

func (g *groups[A, B]) Reset(int) { *g = groups[A, B]{} }
func (*groups[A, B]) Shrink()     {}
