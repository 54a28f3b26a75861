package ledger

import (
	"container/heap"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/internal/compactmap"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// live holds the sessions that may still be going on. Any line can name another
// session, so all of them are only counted, at some fifty bytes each, and details are
// kept of a fixed number: those with the newest lines.
//
// Which they are follows from the lines alone, and not from when it was looked at.
type live struct {
	active  compactmap.Table[activity]
	details map[hash64]*liveSession // of some that are active
	// Either queue holds what is in active and in details once. They follow from those.
	expiring, evicting ageQueue
}

// An activity is the newest line of a session.
type activity struct {
	last  int64  // its time
	attrs uint32 // its number in Ledger.places
}

// A liveSession is what is shown of one session.
type liveSession struct {
	name    string // as it is shown; never saved
	model   string
	context uint64 // tokens that its last request sent; 0 before the first
}

const (
	// minDetails is of how many live sessions details are kept at least.
	minDetails = 1000
	// detailsPerShown is of how many they are kept for each that may be shown: of some
	// the id or the size of the context is not known.
	detailsPerShown = 4
)

func (o *Options) maxDetails() int { return max(minDetails, detailsPerShown*o.MaxSessions) }

// note notes a line of a session.
func (v *live) note(key hash64, a activity) {
	switch known := v.active.Get(key); {
	case known == nil:
		v.active.Put(key, a)
		heap.Push(&v.expiring, agedSession{a.last, key})
	case a.last >= known.last:
		*known = a
	}
}

// detail returns the details of a session that is active; nil if they are not among
// the newest, of which limit are kept.
func (v *live) detail(key hash64, limit int) *liveSession {
	s := v.details[key]
	if s == nil {
		s = &liveSession{}
		v.details[key] = s
		heap.Push(&v.evicting, agedSession{v.active.Get(key).last, key})
	}
	for len(v.details) > limit {
		oldest := v.evicting.oldest(v.lastOf)
		heap.Pop(&v.evicting)
		delete(v.details, oldest.key)
		if oldest.key == key {
			s = nil
		}
	}
	return s
}

func (v *live) lastOf(key hash64) int64 { return v.active.Get(key).last }

// expire lets go of the sessions whose newest lines are from before the time then.
func (v *live) expire(then int64) {
	for len(v.evicting) > 0 && v.evicting[0].time < then && v.evicting.oldest(v.lastOf).time < then {
		delete(v.details, v.evicting[0].key)
		heap.Pop(&v.evicting)
	}
	for len(v.expiring) > 0 && v.expiring[0].time < then && v.expiring.oldest(v.lastOf).time < then {
		v.active.Delete(v.expiring[0].key)
		heap.Pop(&v.expiring)
		v.active.Shrink()
	}
}

// code visits two fields, of which the first has the given number: what is kept of every
// session that may be live, and the details of some.
func (v *live) code(c *codec.Coder, first codec.Number, u *unknown) {
	type stored struct {
		key transcript.Key
		activity
	}
	if c.Reading() {
		u.active = nil
	}
	all := func(yield func(*stored) bool) {
		for key, a := range v.active.All() {
			if !yield(&stored{keyOf(key), *a}) {
				return
			}
		}
	}
	add := func(s *stored) {
		if s.key.IsZero() || v.active.Get(hashOf(s.key)) != nil {
			c.Fail()
			return
		}
		v.active.Put(hashOf(s.key), s.activity)
	}
	codec.Stream(c, first, all, add, func(c *codec.Coder, s *stored) {
		at := hashOf(s.key)
		u.active.Carry(c, at)
		codec.Fixed64(c, 1, &s.key)
		codec.Int(c, 2, &s.last)
		codec.Uint(c, 3, &s.attrs)
		u.active.Rest(c, hashOf(s.key))
	})
	codec.Map(c, first+1, &v.details, &u.live, codeLiveSession)
}

func codeLiveSession(c *codec.Coder, key *hash64, s **liveSession) {
	k := keyOf(*key)
	if codec.Fixed64(c, 1, &k); c.Reading() {
		*key, *s = hashOf(k), new(liveSession)
	}
	codec.String(c, 2, &(*s).model)
	codec.Uint(c, 3, &(*s).context)
}

// sound reports whether every session has one of so many places, and all of which
// there are details are active.
func (v *live) valid(places int) bool {
	for _, a := range v.active.All() {
		if int(a.attrs) >= places {
			return false
		}
	}
	for key := range v.details {
		if key == 0 || v.active.Get(key) == nil {
			return false
		}
	}
	return true
}

// index builds the queues.
func (v *live) index() {
	v.expiring, v.evicting = nil, nil
	for key, a := range v.active.All() {
		v.expiring = append(v.expiring, agedSession{a.last, key})
		if v.details[key] != nil {
			v.evicting = append(v.evicting, agedSession{a.last, key})
		}
	}
	heap.Init(&v.expiring)
	heap.Init(&v.evicting)
}

// An ageQueue is a heap of sessions, the oldest first. What happens to a session later
// does not touch its place: the queue is corrected when it comes to the front.
type ageQueue []agedSession

type agedSession struct {
	time   int64 // of its newest line, or of one before it
	key hash64
}

// oldest moves the oldest session to the front, and returns it.
func (q *ageQueue) oldest(lastOf func(hash64) int64) agedSession {
	for {
		front := &(*q)[0]
		last := lastOf(front.key)
		if last == front.time {
			return *front
		}
		front.time = last
		heap.Fix(q, 0)
	}
}

func (q ageQueue) Len() int { return len(q) }

func (q ageQueue) Less(i, j int) bool {
	return q[i].time < q[j].time || q[i].time == q[j].time && q[i].key < q[j].key
}

func (q ageQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for heap.Push.
func (q *ageQueue) Push(one any) { *q = append(*q, one.(agedSession)) } //nolint:errcheck // only an aged is pushed

// Pop is for heap.Pop. It gives back memory once little is left.
func (q *ageQueue) Pop() any {
	last := len(*q) - 1
	one := (*q)[last]
	if *q = (*q)[:last]; cap(*q) > 4*max(last, minDetails) {
		*q = slices.Clip(slices.Clone(*q))
	}
	return one
}
