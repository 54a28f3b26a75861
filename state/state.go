package state

import (
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/table"
)

// A Journal stores frames in order.
type Journal interface {
	Append(frame []byte) error
}

// A State is changed by one goroutine and read by any number of goroutines.
type State struct {
	now      func() time.Time
	appended chan struct{}

	mu      sync.Mutex
	ledger  *ledger.Ledger
	empty   []byte  // the encoding of a new state
	journal Journal // nil until SetJournal
	failure error   // error of the journal; nil while every change is in it
	paused  view    // returned to readers while failure is not nil
	unsaved bool    // a change since the last Encode is not in the journal
	buf     []byte  // for encoding a frame

	snapshotSize, journalSize int // bytes of the last snapshot, and of the journal since
}

// A view is the data that readers get at one moment.
type view struct {
	counters ledger.Snapshot
	history  counters.History
	sessions ledger.SessionRecord // the newest, see maxPaused
}

// New returns an empty state. Changes take their time from now.
func New(o ledger.Options, now func() time.Time) *State {
	s := &State{now: now, appended: make(chan struct{}, 1), ledger: ledger.New(o, now().UnixMilli())}
	s.empty = s.encode()
	return s
}

// Tables returns the set of tables. Packages add tables to it before the state is
// restored.
func (s *State) Tables() *table.Set { return s.ledger.Tables() }

// Ledger returns the ledger for queries of the goroutine that changes the state. It
// must not be changed.
func (s *State) Ledger() *ledger.Ledger { return s.ledger }

func (s *State) millis() int64 { return s.now().UnixMilli() }

// Change makes a change, which is one frame of the journal: of the ledger at the time
// now in milliseconds, and of the added tables. After a failure of the journal, changes
// are still made but stay invisible until a snapshot includes them: a crash must not
// revert visible counters.
func (s *State) Change(f func(l *ledger.Ledger, now int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.ledger, s.millis())
	if s.journal != nil && s.failure == nil {
		s.append()
	}
	s.unsaved = s.unsaved || s.journal == nil || s.failure != nil
	s.ledger.Commit()
}

// append appends the changes to the journal.
func (s *State) append() {
	if s.buf = s.ledger.AppendFrame(s.buf[:0]); len(s.buf) == 0 {
		return
	}
	if err := s.journal.Append(s.buf); err != nil {
		s.ledger.BeforeFrame(func() { s.pause(err) })
	}
	s.journalSize += len(s.buf)
	if cap(s.buf) > 1<<16 {
		s.buf = nil
	}
	select {
	case s.appended <- struct{}{}:
	default:
	}
}

// pause freezes the counters returned to readers until a snapshot is written.
func (s *State) pause(reason error) {
	if s.failure == nil {
		s.ledger.SnapshotInto(&s.paused.counters, s.millis())
		s.paused.history = s.ledger.History()
		s.paused.sessions = s.ledger.SessionRecord(maxPaused, s.millis())
	}
	s.failure = reason
	s.record()
}

// record records changes while they are appended to a journal.
func (s *State) record() { s.ledger.Record(s.journal != nil && s.failure == nil) }

// SnapshotInto fills a snapshot with the counters that a scrape exposes.
func (s *State) SnapshotInto(to *ledger.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		*to = s.paused.counters.Clone()
		return
	}
	s.ledger.SnapshotInto(to, s.millis())
}

// History returns the record of when the counters grew. Its values equal a snapshot's
// of the same moment.
func (s *State) History() counters.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return s.paused.history
	}
	return s.ledger.History()
}

// maxPaused is the number of sessions listed while the counters are paused.
const maxPaused = 10_000

// Sessions returns the most recently active sessions that a query selects. Their totals
// agree with a snapshot of the same moment.
func (s *State) Sessions(q ledger.SessionQuery) ledger.SessionList {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return s.paused.sessions.Select(q)
	}
	return s.ledger.SessionList(q, s.millis())
}

// TranscriptsOf returns which transcripts may have lines of a session, see
// [ledger.Ledger.TranscriptsOf].
func (s *State) TranscriptsOf(session ledger.SessionID) *ledger.SessionFiles {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.TranscriptsOf(session)
}

// Pending returns the number of series up to the newest series that is exposed as 0, or
// 0 if no series is. While the counters are paused, new series are not exposed at all.
func (s *State) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return 0
	}
	return s.ledger.Counters().Pending()
}

// Release exposes the values of all series up to a number. This is not saved: after a
// restart all series have their values.
func (s *State) Release(upTo int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Counters().Release(upTo)
}

// Activity returns the number of sessions and the time of the last activity; the
// zero Time if there was none.
func (s *State) Activity() (sessions int, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.ledger.LastActivity(); at != 0 {
		last = time.UnixMilli(at)
	}
	return s.ledger.Sessions(), last
}

// Folded returns the labels that had values replaced by counters.Other.
func (s *State) Folded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.Counters().Folded()
}

// Prices describes the present prices; it is zero without prices.
func (s *State) Prices() ledger.PriceTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.Prices()
}

// NameSessions gives the ledger the ids of sessions. The state does not contain them.
func (s *State) NameSessions(ids []ledger.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.ledger.NameSession(id)
	}
}
