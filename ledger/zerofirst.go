package ledger

// zeroFirst exposes new series as 0 until they are released, so that a server sees each
// of them begin at 0 and computes increases that miss nothing.
//
// The number of a series is that of the call that created it: calls that change the
// ledger are counted, not series. A newer version creates other series when it replays
// the journal of an older one. The journal holds the numbers up to which the older
// version released, and the newer one must release the same series. So the calls of a
// step, and what they count, are the same in every version.
//
// Three numbers describe which series exist, which may have been exposed, and which
// have been released. The owner of the ledger decides when to release, since it knows
// for how long series have been exposed. A ledger reads no clock.
type zeroFirst struct {
	call     uint64 // number of the present call, 1 or more
	newest   uint64 // number of the newest series
	exposed  uint64 // series up to this number may have been exposed
	released uint64 // series up to this number are exposed with their values
}

// next begins the next call. The series that it creates have a higher number than
// those that Pending has returned and those that are exposed or released.
func (z *zeroFirst) next() { z.call++ }

// number assigns its number to a new series.
func (z *zeroFirst) number(s *series) {
	z.newest = z.call
	s.number = z.call
}

// observed records an event of a series at the time when. A series is created with its
// earliest event, even if another one is counted first. Once it is exposed it keeps its
// created timestamp: to a server another one would be a reset.
func (z *zeroFirst) observed(s *series, when int64) {
	if s.number > z.exposed && when < s.Created {
		s.Created = when
	}
}

// hidden reports whether a series is exposed as 0.
func (z *zeroFirst) hidden(s *series) bool { return s.number > z.released }

// markExposed records that every series may be exposed from now on.
func (z *zeroFirst) markExposed() {
	z.exposed = z.newest
	z.next()
}

// valid reports whether the numbers fit together, and those of all series are up to
// newest.
func (z *zeroFirst) valid(tables []table) bool {
	for i := range tables {
		for _, s := range tables[i].series {
			if s.number > z.newest {
				return false
			}
		}
	}
	return z.released <= z.exposed && z.exposed <= z.newest
}

// Pending returns the number of the newest series if it is exposed as 0, and 0 if
// every series has been released.
func (l *Ledger) Pending() uint64 {
	if l.zeroFirst.newest == l.zeroFirst.released {
		return 0
	}
	return l.zeroFirst.newest
}

// Release exposes the values of all series up to a number that Pending has returned.
func (l *Ledger) Release(upTo uint64) {
	z := &l.zeroFirst
	z.released = max(z.released, min(upTo, z.newest))
	z.exposed = max(z.exposed, z.released)
	z.next()
}
