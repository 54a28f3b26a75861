package state

import (
	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// LoadSnapshot restores the state that Encode returned. After an error the state
// is empty. Neither LoadSnapshot nor Replay may be called once the state is shared.
func (s *State) LoadSnapshot(b []byte, o ledger.Options) error {
	s.fold = newFold(o, s.millis())
	c := codec.NewReader(b)
	if s.fold.code(c); c.Done() != nil {
		s.fold = newFold(o, s.millis())
	}
	return c.Done()
}

// Replay applies a step of the journal.
func (s *State) Replay(b []byte) error {
	one, err := decodeStep(b)
	if one != nil && err == nil {
		one.apply(s.fold)
	}
	return err
}

// Restored ends restoring: the snapshot and the journals have so many bytes, and
// the given options are in force.
func (s *State) Restored(snapshot, journals int, o ledger.Options) {
	(&configureStep{options: o}).apply(s.fold)
	s.snapshotSize, s.journalSize = snapshot, journals
}

// Encode returns a snapshot of the state. The journal that rotate begins holds
// every step after it. An error is that of rotate, which is called under the lock.
func (s *State) Encode(rotate func() (generation uint64, err error)) (generation uint64, snapshot []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation, err = rotate()
	if err != nil {
		return 0, nil, err
	}
	c := codec.NewWriter(make([]byte, 0, s.snapshotSize+s.snapshotSize/8))
	s.fold.code(c)
	snapshot = c.Bytes()
	s.snapshotSize, s.journalSize, s.unsaved = len(snapshot), 0, false
	return generation, snapshot, nil
}

// Saved says that the last snapshot has been written. Paused counters resume,
// unless a step since is in neither that snapshot nor the journal.
func (s *State) Saved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		s.failure, s.paused = nil, ledger.Snapshot{}
	}
}

// Pause pauses the counters: readers get them as they are now.
func (s *State) Pause(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause(why)
}

// PausedBy returns why the counters are paused, or nil.
func (s *State) PausedBy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// SetJournal has every step from now on appended to j.
func (s *State) SetJournal(j Journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = j
}

// Appended receives a value after steps were appended to the journal.
func (s *State) Appended() <-chan struct{} { return s.appended }

// Sizes returns the bytes of the journal and of the snapshot before it.
func (s *State) Sizes() (journal, snapshot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journalSize, s.snapshotSize
}

// IsRestored reports whether the state is exactly the one that was restored, of a
// daemon that had caught up.
func (s *State) IsRestored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.started && !s.unsaved
}

// Start ends the first catch-up. All series so far are released, so that they begin
// at their values: installing the daemon causes no spike. It does nothing if the
// restored state was started. The change is in no journal, only in the next snapshot.
func (s *State) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fold.started {
		s.fold.started = true
		s.fold.ledger.Release(s.fold.ledger.Pending())
	}
}
