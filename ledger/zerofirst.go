package ledger

// ZeroFirst holds new series at 0 until they are released, so that a server sees
// each begin at 0 and computes increases that miss nothing.
//
// The number of a series is that of the call that created it: calls that change the
// ledger are counted, and not series. A newer version creates other series when it
// repeats the journal of an older one, which holds the numbers up to which that one
// released: it must release the same series. So the calls of a step, and what they
// count, are the same in every version.
//
// Three numbers say everything: which series exist, which may have been exposed, and
// which have been released. When to release is up to the owner of the ledger, which
// knows for how long series have been exposed. A ledger looks at no clock.
type zeroFirst struct {
	call     uint64 // number of the present call, 1 or more
	newest   uint64 // number of the newest series
	exposed  uint64 // series up to this number may have been exposed
	released uint64 // series up to this number are exposed with their values
}

// next begins the next call. What it creates has a higher number than what Pending has
// returned, and than what is exposed or released.
func (z *zeroFirst) next() { z.call++ }

// number gives a new series its number.
func (z *zeroFirst) number(s *series) {
	z.newest = z.call
	s.number = z.call
}

// happened notes an event of a series at the time when. The first event is when the
// series was created, even if it is counted later than another. Once exposed, a
// series keeps its created timestamp: to a server another one would be a reset.
func (z *zeroFirst) observed(s *series, when int64) {
	if s.number > z.exposed && when < s.created {
		s.created = when
	}
}

// hides reports whether a series is exposed as 0.
func (z *zeroFirst) hides(s *series) bool { return s.number > z.released }

// settled notes that every series may be exposed from now on.
func (z *zeroFirst) markExposed() {
	z.exposed = z.newest
	z.next()
}

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
	z.next()
}
