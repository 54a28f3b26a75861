package ledger

// ZeroFirst holds new series at 0 until they are released, so that a server sees
// each begin at 0 and computes increases that miss nothing.
//
// Series are numbered in the order of their creation, so that three numbers say
// everything: which series exist, which may have been exposed, and which have
// been released. When to release is up to the owner of the ledger, which knows
// for how long series have been exposed. A ledger looks at no clock.
type zeroFirst struct {
	newest   uint64 // number of the newest series
	exposed  uint64 // series up to this number may have been exposed
	released uint64 // series up to this number are exposed with their values
}

// number gives a new series its number.
func (z *zeroFirst) number(s *series) {
	z.newest++
	s.number = z.newest
}

// happened notes an event of a series at the time when. The first event is when the
// series was created, even if it is counted later than another. Once exposed, a
// series keeps its created timestamp: to a server another one would be a reset.
func (z *zeroFirst) happened(s *series, when int64) {
	if s.number > z.exposed && when < s.created {
		s.created = when
	}
}

// hides reports whether a series is exposed as 0.
func (z *zeroFirst) hides(s *series) bool { return s.number > z.released }

// settled notes that every series may be exposed from now on.
func (z *zeroFirst) settled() { z.exposed = z.newest }

// Pending returns the number of the newest series if it is exposed as 0, and 0 if
// every series has been released.
func (l *Ledger) Pending() uint64 {
	if l.zeroFirst.newest == l.zeroFirst.released {
		return 0
	}
	return l.zeroFirst.newest
}

// Release exposes the values of all series up to a number, which Pending has
// returned before.
func (l *Ledger) Release(upTo uint64) {
	z := &l.zeroFirst
	z.released = max(z.released, min(upTo, z.newest))
	z.exposed = max(z.exposed, z.released)
}
