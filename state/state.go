package state

import (
	"math"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Journal stores steps in order.
type Journal interface {
	Append(step []byte) error
}

// A State is changed by one goroutine and read by any number of others.
type State struct {
	now      func() time.Time
	appended chan struct{}

	mu      sync.Mutex
	fold    *fold
	journal Journal // nil until SetJournal
	failure error   // of the journal; nil while every step is in it
	paused  view    // returned to readers while failure is not nil
	unsaved bool    // a step since the last Encode is not in the journal
	buf     []byte  // for encoding a step

	configured bool // the restored state had the present options

	snapshotSize, journalSize int // bytes of the last snapshot, and of the journal since
}

// A view is what readers get at one moment.
type view struct {
	counters ledger.Snapshot
	history  ledger.History
	sessions ledger.SessionList // the newest, see maxPaused
}

// New returns an empty state. Steps take their time from now.
func New(o ledger.Options, now func() time.Time) *State {
	return &State{now: now, fold: newFold(o, now().UnixMilli()), appended: make(chan struct{}, 1)}
}

func (s *State) millis() int64 { return s.now().UnixMilli() }

// do applies a step. After a failure of the journal, steps are still applied but stay
// invisible until a snapshot includes them: a crash must not revert visible counters.
func (s *State) do(next step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal != nil {
		s.write(next)
	} else {
		s.unsaved = true
	}
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	next.apply(s.fold)
}

// write appends a step to the journal, unless an earlier step could not be appended.
func (s *State) write(next step) {
	if s.failure == nil {
		s.buf = encodeStep(next, s.buf[:0])
		if err := s.journal.Append(s.buf); err != nil {
			s.pause(err)
		}
		s.journalSize += len(s.buf)
		select {
		case s.appended <- struct{}{}:
		default:
		}
	}
	s.unsaved = s.unsaved || s.failure != nil
}

// pause freezes the counters returned to readers until a snapshot is written.
func (s *State) pause(reason error) {
	if s.failure == nil {
		s.fold.ledger.SnapshotInto(&s.paused.counters, s.millis())
		s.paused.history = s.fold.ledger.History()
		s.paused.sessions = s.fold.ledger.SessionList(ledger.SessionQuery{Limit: maxPaused, Since: math.MinInt64}, s.millis())
	}
	s.failure = reason
}

// SnapshotInto fills a snapshot with the counters that a scrape exposes.
func (s *State) SnapshotInto(to *ledger.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		*to = s.paused.counters.Clone()
		return
	}
	s.fold.ledger.SnapshotInto(to, s.millis())
}

// History returns the record of when the counters grew. Its values are those that a
// snapshot at the same moment has.
func (s *State) History() ledger.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return s.paused.history
	}
	return s.fold.ledger.History()
}

// maxPaused is the number of sessions that are listed while the counters are paused.
const maxPaused = 10_000

// Sessions returns the most recently active sessions that a query selects. Their totals
// agree with a snapshot of the same moment.
func (s *State) Sessions(q ledger.SessionQuery) ledger.SessionList {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return s.paused.sessions.Select(q)
	}
	return s.fold.ledger.SessionList(q, s.millis())
}

// NewestPending returns the number of the newest series that is exposed as 0, or 0 if
// no series is. While the counters are paused, new series are not exposed at all.
func (s *State) NewestPending() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return 0
	}
	return s.fold.ledger.Pending()
}

// Activity returns the number of sessions and the time of the last activity; the
// zero Time if there was none.
func (s *State) Activity() (sessions int, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.fold.ledger.LastActivity(); at != 0 {
		last = time.UnixMilli(at)
	}
	return s.fold.ledger.Sessions(), last
}

// NameSessions gives the ledger the ids of sessions. The state does not contain them.
func (s *State) NameSessions(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.fold.ledger.NameSession(id)
	}
}

// HasPending reports whether FinalizeFile would change anything of a file.
func (s *State) HasPending(id ledger.FileID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.ledger.HasPending(id)
}

// MayHaveMoved reports whether a sub-agent's transcript may be a known one at a new
// path.
func (s *State) MayHaveMoved(id ledger.FileID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.ledger.MayHaveMoved(id)
}

// AllPending returns the files for which HasPending is true, in order.
func (s *State) AllPending() (ids []ledger.FileID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.fold.files.all {
		if id := s.fold.files.all[i].ID; s.fold.ledger.HasPending(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
