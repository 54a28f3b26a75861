package state

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
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
	next, err := decodeStep(b)
	if next != nil && err == nil {
		next.apply(s.fold)
	}
	return err
}

// Restored completes restoring from a snapshot and journals of the given sizes in
// bytes, and applies the options.
func (s *State) Restored(snapshot, journals int, o ledger.Options) {
	s.configured = s.fold.ledger.HasOptions(o)
	(&configureStep{options: o}).apply(s.fold)
	s.snapshotSize, s.journalSize = snapshot, journals
}

// Encode returns a snapshot of the state. rotate, which is called under the lock,
// starts the journal for the steps after it. It returns only errors of rotate.
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

// Saved records that the last snapshot has been written. Paused counters resume, unless
// a later step is in neither that snapshot nor the journal.
func (s *State) Saved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		s.failure, s.paused = nil, view{}
	}
}

// Pause freezes the counters returned to readers.
func (s *State) Pause(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause(reason)
}

// PausedBy returns why the counters are paused, or nil.
func (s *State) PausedBy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// SetJournal sets the journal to which every later step is appended.
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

// IsRestored reports whether the state is unchanged since it was restored from a daemon
// that had caught up.
func (s *State) IsRestored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.started && !s.unsaved
}

// Start completes the first catch-up and releases all series, so that they start at
// their values and installing the daemon causes no spike. It does nothing if the
// restored state had started. The change is not in the journal, only in the next
// snapshot.
func (s *State) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fold.started {
		s.fold.started = true
		s.fold.ledger.Release(s.fold.ledger.Pending())
	}
}
