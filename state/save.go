package state

import (
	"errors"

	"github.com/ccwatchd/ccwatchd/table"
)

// LoadSnapshot replaces the state by a snapshot from Encode. The format of the file is
// not used: what format 1 lacks is empty. After an error the state is empty. Neither
// LoadSnapshot nor Replay may be called once the state is shared.
func (s *State) LoadSnapshot(_ uint32, b []byte) error {
	err := s.decode(b)
	if err != nil {
		err = errors.Join(err, s.decode(s.empty))
	}
	return err
}

func (s *State) decode(b []byte) error {
	c := table.NewReader(b)
	s.ledger.Code(c)
	return c.Done()
}

// Replay applies a frame of the journal. The format of the file is not used: what
// format 1 lacks is empty. After an error the state has some of the frame's
// changes, and LoadSnapshot must be called again.
func (s *State) Replay(_ uint32, frame []byte) error { return s.ledger.ApplyFrame(frame) }

// Restored completes restoring from a snapshot and journals of the given sizes in
// bytes.
func (s *State) Restored(snapshot, journals int) error {
	s.snapshotSize, s.journalSize = snapshot, journals
	return s.ledger.Restored()
}

// Encode returns a snapshot of the state. rotate, which is called under the lock,
// starts the journal for the changes after the snapshot. Encode returns only errors of
// rotate.
func (s *State) Encode(rotate func() (generation uint64, err error)) (generation uint64, snapshot []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation, err = rotate()
	if err != nil {
		return 0, nil, err
	}
	snapshot = s.encode()
	s.snapshotSize, s.journalSize, s.unsaved = len(snapshot), 0, false
	return generation, snapshot, nil
}

// rowSize is the number of bytes per row that a first snapshot has room for: a buffer
// that grows would take several times as much. The rows of many small sessions take 29;
// room that is not used takes no memory.
const rowSize = 40

func (s *State) encode() []byte {
	size := max(s.snapshotSize+s.snapshotSize/8, rowSize*s.ledger.Tables().Len())
	c := table.NewWriter(make([]byte, 0, size))
	s.ledger.Code(c)
	return c.Bytes()
}

// Saved records that the last snapshot has been written. Paused counters resume, unless
// a later change is in neither the snapshot nor the journal.
func (s *State) Saved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		s.failure, s.paused = nil, view{}
		s.record()
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

// SetJournal sets the journal for all later changes.
func (s *State) SetJournal(j Journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = j
	s.record()
}

// Appended receives a value after frames were appended to the journal.
func (s *State) Appended() <-chan struct{} { return s.appended }

// Sizes returns the bytes of the journal and of the snapshot before it.
func (s *State) Sizes() (journal, snapshot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journalSize, s.snapshotSize
}

// IsRestored reports whether the state is unchanged since it was restored, or is in a
// snapshot, and a daemon has caught up with it.
func (s *State) IsRestored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.Counters().Started() && !s.unsaved
}

// Start completes the first catch-up and releases all series, so that they start at
// their values and installing the daemon causes no spike. It does nothing if the
// restored state had started. The change is not in the journal, only in the next
// snapshot.
func (s *State) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Counters().Start()
}
