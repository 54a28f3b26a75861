package daemon

import "github.com/ccwatchd/ccwatchd/ledger"

// fill makes to what a scrape at the time now shows, and takes it for seen. While
// nothing can be written it leaves what it was filled with last, all of which is in
// the journal; it returns false if that is nothing.
func (s *shared) fill(to *ledger.Snapshot, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		defer s.show()
	}
	return s.lookLocked(to, now)
}

// look is fill for whoever may not have been the one to see it.
func (s *shared) look(to *ledger.Snapshot, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lookLocked(to, now)
}

func (s *shared) lookLocked(to *ledger.Snapshot, now int64) bool {
	if s.failed != nil {
		return to.Families != nil
	}
	s.state.ledger.Fill(to, now)
	return true
}

// show notes that somebody has seen every series that there is. The lock is held.
func (s *shared) show() {
	if s.state.ledger.Unshown() {
		s.locked(&showStep{})
	}
}
