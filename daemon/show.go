package daemon

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// show makes to what a viewer is shown. While nothing can be written it leaves what to
// was filled with last, all of which is in the journal; it returns false if that is
// nothing.
func (s *shared) show(to *ledger.Snapshot, viewer string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := max(s.audience.come(nameOf(viewer), now), s.audience.overdue(now))
	if regulars := s.audience.regulars(now); s.failed == nil && !slices.Equal(regulars, s.state.regulars) {
		s.locked(&audienceStep{regulars})
	}
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
	s.audience.saw(nameOf(viewer), showing)
}

// expect has everybody waited for who came regularly before the daemon was restarted.
func (s *shared) expect(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.audience.expect(s.state.regulars, now)
}

func nameOf(viewer string) transcript.Key { return transcript.KeyOf("viewer", viewer) }
