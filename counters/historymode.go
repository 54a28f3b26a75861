package counters

// A historyMode is how growth is recorded.
type historyMode struct {
	on   bool   // growth is recorded, see Options.FineHistory
	fine uint32 // the first interval of five minutes; before it intervals are coarse
}

// setHistoryMode changes how growth is recorded.
func (s *Set) setHistoryMode(m historyMode) {
	if m == s.nextMode {
		return
	}
	s.nextMode = m
	if s.ops.recording {
		s.ops.setHistoryMode(m)
	} else {
		s.mode = m
	}
}

// Advance sets the present time, and moves the boundary between coarse and fine
// intervals forward, at the time now in milliseconds. It is always at midnight UTC. A
// boundary in the future, which a wrong clock leaves behind, moves back.
func (s *Set) Advance(now int64) {
	s.now = now
	if s.opts.FineHistory <= 0 {
		return
	}
	fine := intervalOf(now - s.opts.FineHistory)
	fine -= fine % perDay
	if next := s.nextMode; fine > next.fine || next.fine > intervalOf(now) {
		s.setHistoryMode(historyMode{next.on, fine})
	}
}

// recordGrowth records the growth of a series.
func (s *Set) recordGrowth(ser *series, when int64, value, sum uint64) {
	if !s.mode.on || value|sum == 0 {
		return
	}
	at := intervalOf(when)
	ser.increases.add(at, value, sum, s.mode.fine)
	if s.window.started && at < intervalOf(s.birth) && ser.family.Type != Level {
		if ser.late == nil {
			ser.late = new(increases)
		}
		ser.late.add(at, value, sum, s.mode.fine)
	}
}
