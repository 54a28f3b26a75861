package counters

// A window describes which series may have been exposed, and which are exposed as 0.
//
// A new series is exposed as 0 for some time, so that Prometheus sees it begin at 0 and
// computes increases that miss nothing. The owner of the set decides for how long: a
// set reads no clock. The window is not part of the state, so after a restart every
// series has its value.
type window struct {
	exposed  int  // series up to this number may have been exposed
	released int  // series up to this number are exposed with their values
	newest   int  // number of the newest series that is not a gauge, plus 1
	started  bool // new series are exposed as 0
}

// Expose records that every series may be exposed from now on: its created time is
// fixed.
func (s *Set) Expose() {
	switch {
	case s.window.exposed == len(s.byNumber):
	case s.ops.recording:
		s.ops.expose()
	default:
		s.window.exposed = s.published
	}
}

// Start ends the initial phase without zeros: an existing series starts at its value,
// so that installing a daemon causes no spike. From now on growth before Birth is
// recorded as late, see SeriesHistory.Late. The owner must save the set afterwards:
// Start is no operation, and no operations may be pending. Start does nothing if the
// set was started before.
//
// Start also decides which values of labels are exposed by name, so earlier snapshots
// have other series.
func (s *Set) Start() {
	if s.window.started {
		return
	}
	s.window.started = true
	recording := s.ops.recording
	s.Record(false)
	s.exposeMostUsed()
	s.foldAll()
	s.Record(recording)
	s.window.exposed = s.published
	s.window.released = s.published
}

// Started reports whether Start was called, by this process or an earlier one.
func (s *Set) Started() bool { return s.window.started }

// Pending returns the number of series up to the newest series that is exposed as 0,
// and 0 if no series is.
func (s *Set) Pending() int {
	if s.window.newest <= s.window.released {
		return 0
	}
	return s.window.newest
}

// Release exposes the values of all series up to a number that Pending has returned.
func (s *Set) Release(upTo int) { s.window.released = max(s.window.released, min(upTo, s.published)) }

// hidden reports whether a series or its exposing series is exposed as 0.
func (s *Set) hidden(ser *series) bool {
	ser = s.exposing(ser)
	return ser.number >= s.window.released && !ser.family.Type.IsGauge()
}
