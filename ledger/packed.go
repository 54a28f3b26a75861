package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/wire"
)

// A packed map remembers millions of digests in few bytes each. What is new, or
// has changed, is in a small map in front; all else is in runs, which are
// searched from the newest to the oldest. Once there is much in front, settle
// makes a run of it and merges that with those before it that are not much
// larger. So each run holds at least fourfold of the next, there are few of
// them, and an entry is copied a few times in its life, in order and at little
// cost. The zero value is empty.
//
// How the entries are laid out follows from the calls alone, as everything in a
// ledger has to.
type packed[V packable[V]] struct {
	recent sorted[V]
	runs   []run[V] // the oldest first
	n      uint64
}

const (
	// manyRecent is how many entries are worth a run of their own.
	manyRecent = 1 << 12
	// fold is how much larger a run is, at least, than the next one.
	fold = 4
)

// len returns the number of digests.
func (p *packed[V]) len() int { return int(p.n) } //nolint:gosec // as many as fit into memory

// get returns the value of a digest, if it has one.
func (p *packed[V]) get(d digest) (v V, ok bool) {
	if v := p.recent.get(d); v != nil {
		return *v, true
	}
	for i := len(p.runs) - 1; i >= 0; i-- {
		if v, ok := p.runs[i].get(d); ok {
			return v, true
		}
	}
	return v, false
}

// add gives a value to a digest that has none.
func (p *packed[V]) add(d digest, v V) {
	p.recent.put(d, v)
	p.n++
}

// set gives another value to a digest that has one.
func (p *packed[V]) set(d digest, v V) { p.recent.put(d, v) }

// put gives a digest a value, whether or not it has one.
func (p *packed[V]) put(d digest, v V) {
	switch before, ok := p.get(d); {
	case !ok:
		p.add(d, v)
	case before != v:
		p.set(d, v)
	}
}

// settle packs what is in front once it is much. It is called when nobody minds
// that it takes a moment.
func (p *packed[V]) settle() {
	if p.recent.n >= manyRecent {
		p.pack(func(older, newer int) bool { return older < fold*newer })
	}
}

// pack makes a run of what is in front and of the runs before it, from the
// newest on, as long as joins says so of their sizes.
func (p *packed[V]) pack(joins func(older, newer int) bool) {
	packed, last := runOf(&p.recent), len(p.runs)-1
	for ; last >= 0 && joins(p.runs[last].n, packed.n); last-- {
		packed = merge(&p.runs[last], &packed)
	}
	p.runs = append(slices.Clone(p.runs[:last+1]), packed)
	p.recent = sorted[V]{}
}

// drop forgets the digests whose values are to go.
func (p *packed[V]) drop(goes func(V) bool) {
	if p.n == 0 {
		return
	}
	// All in one, or else an older value would come to light again.
	p.pack(func(int, int) bool { return true })
	p.runs[0] = p.runs[0].without(goes)
	p.n = uint64(p.runs[0].n) //nolint:gosec // not negative
}

// code visits the map. Values that are read have to be sound.
func (p *packed[V]) code(c *wire.Coder, sound func(V) bool) {
	wire.Uint(c, &p.n)
	if !c.Reading() {
		all := append(slices.Clip(p.runs), runOf(&p.recent))
		wire.Slice(c, &all, func(c *wire.Coder, r *run[V]) { r.code(c, sound) })
		return
	}
	wire.Slice(c, &p.runs, func(c *wire.Coder, r *run[V]) { r.code(c, sound) })
	last := len(p.runs) - 1
	if c.Err() != nil || last < 0 {
		c.Fail()
		*p = packed[V]{}
		return
	}
	for r := p.runs[last].cursor(); r.next(); {
		v, _ := (*new(V)).decode(r.value)
		p.recent.put(r.digest, v)
	}
	p.runs = p.runs[:last:last]
}
