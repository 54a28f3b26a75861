package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// show makes to what a viewer is shown. While nothing can be written it leaves what to
// was filled with last, all of which is in the journal; it returns false if that is
// nothing.
func (s *shared) show(to *ledger.Snapshot, viewer string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := max(s.audience.come(viewer, now), s.audience.overdue(now))
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

// saw notes that a viewer has seen what was shown, by its number.
func (s *shared) saw(viewer string, showing uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.audience.saw(viewer, showing)
}
