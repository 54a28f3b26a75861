package ledger

import (
	"iter"
	"math"
	"slices"
)

// A sessionOrder has all sessions in the order of their newest lines, so that a reader
// does not visit the sessions of other sources that are older. It is derived from
// sessions.totals when a reader needs it.
type sessionOrder struct {
	all   []agedSession    // the oldest first; nil if it is not known
	moved map[hash64]int64 // the sessions with lines since, each with its time in all
}

// notInOrder is the time in sessionOrder.moved of a session that is not in all.
const notInOrder = math.MaxInt64

// note records that the time of a session changes from before.
func (o *sessionOrder) note(key hash64, before int64) {
	if o.all == nil {
		return
	}
	if _, noted := o.moved[key]; !noted {
		o.moved[key] = before
	}
	if len(o.moved) > 1000+len(o.all)/4 {
		*o = sessionOrder{}
	}
}

// inOrder visits the sessions with a line since a time, the newest first.
func (p *sessions) inOrder(since int64) iter.Seq[agedSession] {
	p.updateOrder()
	return func(yield func(agedSession) bool) {
		for _, s := range slices.Backward(p.order.all) {
			if s.last < since || !yield(s) {
				return
			}
		}
	}
}

// updateOrder sorts what has changed.
func (p *sessions) updateOrder() {
	o := &p.order
	if o.all == nil {
		o.all, o.moved = make([]agedSession, 0, p.totals.Len()), make(map[hash64]int64)
		for key, t := range p.totals.All() {
			o.all = append(o.all, agedSession{t.last, key})
		}
		slices.SortFunc(o.all, oldestFirst)
		return
	}
	first, changed := agedSession{last: notInOrder}, make([]agedSession, 0, len(o.moved))
	for key, before := range o.moved {
		t, _ := p.totals.Get(key)
		changed = append(changed, agedSession{t.last, key})
		first.last = min(first.last, before, t.last)
	}
	first.key = math.MaxUint64
	at, _ := slices.BinarySearchFunc(o.all, first, oldestFirst)
	kept := slices.DeleteFunc(o.all[at:], func(s agedSession) bool {
		_, moved := o.moved[s.key]
		return moved
	})
	o.all = append(o.all[:at+len(kept)], changed...)
	slices.SortFunc(o.all[at:], oldestFirst)
	clear(o.moved)
}

func oldestFirst(a, b agedSession) int { return newestFirst(b, a) }
