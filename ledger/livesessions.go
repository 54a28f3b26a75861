package ledger

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/state/table"
)

// live holds the sessions that may still be running. Any line can name another session,
// so most are only counted, at about fifty bytes each, and details are kept of a fixed
// number: those with the newest lines. Which they are follows from the lines alone, and
// not from when a snapshot was taken.
type live struct {
	active  *table.Stored[activity]
	details *table.Table[hash64, liveSession] // of some that are active
	// The queues hold each key of active and of details once. They follow from those.
	expiring, evicting ageQueue
}

func newLive(c *core) live {
	return live{
		active:  table.NewStored(c.tables, tableActive, codeActivity),
		details: table.New(c.tables, tableLive, table.Hash[hash64](), codeLiveSession),
	}
}

// An activity is the newest line of a session.
type activity struct {
	last  int64  // its time
	attrs uint32 // id in core.fileAttrs
}

// A liveSession is the details of one session.
type liveSession struct {
	model   string
	context uint64 // tokens that its last request sent; 0 before the first
}

const (
	// minDetails is the smallest number of sessions of which details are kept.
	minDetails = 1000
	// detailsPerShown is the number of details kept for each session that may be shown:
	// of some the id or the size of the context is not known.
	detailsPerShown = 4
)

func (o *Options) maxDetails() int { return max(minDetails, detailsPerShown*o.MaxSessions) }

// note records a line of a session.
func (v *live) note(key hash64, a activity) {
	known, ok := v.active.Get(key)
	if !ok {
		heap.Push(&v.expiring, agedSession{a.last, key})
	}
	if !ok || a.last >= known.last {
		v.active.Put(key, a)
	}
}

// keepDetails begins to keep the details of an active session, unless it is not among
// the newest, of which limit are kept.
func (v *live) keepDetails(key hash64, limit int) {
	if !v.details.Has(key) {
		v.details.Put(key, liveSession{})
		heap.Push(&v.evicting, agedSession{v.lastOf(key), key})
	}
	for v.details.Len() > limit {
		oldest := v.evicting.oldest(v.lastOf)
		heap.Pop(&v.evicting)
		v.details.Delete(oldest.key)
	}
}

func (v *live) lastOf(key hash64) int64 {
	a, _ := v.active.Get(key)
	return a.last
}

// expire drops the sessions whose newest lines are older than a time.
func (v *live) expire(before int64) {
	for v.evicting.hasOlder(before, v.lastOf) {
		v.details.Delete(v.evicting[0].key)
		heap.Pop(&v.evicting)
	}
	for v.expiring.hasOlder(before, v.lastOf) {
		v.active.Delete(v.expiring[0].key)
		heap.Pop(&v.expiring)
		v.active.Shrink()
	}
}

func codeActivity(c *codec.Coder, a *activity) {
	codec.Int(c, 1, &a.last)
	codec.Uint(c, 2, &a.attrs)
}

func codeLiveSession(c *codec.Coder, s *liveSession) {
	codec.String(c, 1, &s.model)
	codec.Uint(c, 2, &s.context)
}

// index rebuilds the queues. It returns false if a session does not have one of so many
// attributes, or one with details is not active.
func (v *live) index(attrs int) bool {
	v.expiring, v.evicting = nil, nil
	for key, a := range v.active.All() {
		if int(a.attrs) >= attrs {
			return false
		}
		v.expiring = append(v.expiring, agedSession{a.last, key})
		if v.details.Has(key) {
			v.evicting = append(v.evicting, agedSession{a.last, key})
		}
	}
	heap.Init(&v.expiring)
	heap.Init(&v.evicting)
	return len(v.evicting) == v.details.Len()
}

// An ageQueue is a heap of sessions, the oldest first. A later line of a session does
// not move it: the queue is corrected when the session comes to the front.
type ageQueue []agedSession

type agedSession struct {
	time int64 // of its newest line, or of an earlier one
	key  hash64
}

// compare orders sessions by their time, the oldest first.
func (s agedSession) compare(o agedSession) int {
	return cmp.Or(cmp.Compare(s.time, o.time), cmp.Compare(s.key, o.key))
}

// oldest moves the oldest session to the front and returns it.
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

// hasOlder reports whether the newest line of the oldest session is older than a time,
// and if so moves it to the front.
func (q *ageQueue) hasOlder(before int64, lastOf func(hash64) int64) bool {
	return len(*q) > 0 && (*q)[0].time < before && q.oldest(lastOf).time < before
}

func (q ageQueue) Len() int { return len(q) }

func (q ageQueue) Less(i, j int) bool {
	return q[i].compare(q[j]) < 0
}

func (q ageQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *ageQueue) Push(s any) { *q = append(*q, s.(agedSession)) } //nolint:errcheck // no other type is pushed

// Pop implements [heap.Interface]. It frees memory once few sessions are left.
func (q *ageQueue) Pop() any {
	last := len(*q) - 1
	s := (*q)[last]
	if *q = (*q)[:last]; cap(*q) > 4*max(last, minDetails) {
		*q = slices.Clip(slices.Clone(*q))
	}
	return s
}
