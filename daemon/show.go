package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// show makes to what is shown to a viewer who sees it at once, and does not wait for
// ever for others. It returns false if that is nothing.
func (s *shared) show(to *ledger.Snapshot, viewer string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.fill(to, max(s.audience.come(viewer, now), s.audience.overdue(now)), now)
	s.audience.saw(viewer, to.Showing)
	return shown
}

// fill makes to what is shown once everybody has seen what was new up to a showing.
// While nothing can be written it leaves what it was filled with last, all of which
// is in the journal; it returns false if that is nothing. The lock is held.
func (s *shared) fill(to *ledger.Snapshot, seen uint64, now time.Time) bool {
	if s.failed == nil && s.state.ledger.Hides(seen) {
		s.locked(&revealStep{seen})
	}
	if s.failed != nil {
		return to.Families != nil
	}
	s.state.ledger.Fill(to, now.UnixMilli())
	if s.state.ledger.Unshown() {
		s.locked(&showStep{})
	}
	return true
}
