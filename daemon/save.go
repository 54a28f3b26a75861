package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/wire"
)

const (
	// savedPerJournal is how many bytes of snapshots are written, at most, for
	// one of the journal. So what the daemon writes follows from what happens
	// and not from how much it remembers, and the journal that a start has to
	// repeat is short beside the snapshot that it has to read.
	savedPerJournal = 4
	// overdue is how many times as long as would be worth a snapshot the
	// journal becomes before one is written ahead of time.
	overdue = 4
	// retrySave is how long to wait after a snapshot that failed.
	retrySave = 10 * time.Second
)

// worthSaving reports whether another snapshot is worth writing, some time after
// the last one: when the journal has grown enough, in bytes, beside the snapshot.
func (s *Settings) worthSaving(journal, snapshot int, since time.Duration) bool {
	worth := max(s.Journal, snapshot/savedPerJournal, 1)
	return journal >= worth && since >= s.Checkpoint || journal >= overdue*worth
}

// save writes a snapshot. Until it is written the journal before it stays, so
// a failure loses nothing.
func (e *engine) save() error {
	start := e.now()
	e.saved = start
	generation, snapshot, err := e.shared.encode(e.store.Rotate)
	if err == nil {
		err = e.store.Commit(generation, snapshot)
	}
	if err != nil {
		e.Metrics.CheckpointFailures.Inc()
		e.unsafe = true
		return err
	}
	e.unsafe = false
	e.Metrics.Checkpoints.Inc()
	e.Metrics.CheckpointSize.Set(float64(len(snapshot)))
	e.Metrics.CheckpointLastSuccess.Set(float64(e.now().UnixMilli()) / 1000)
	e.Logger.Debug("Saved the state", "bytes", len(snapshot), "took", e.now().Sub(start))
	return nil
}

// sync makes the journal survive the death of the machine. It does not hold up
// reading, and while one sync is under way no other begins.
func (e *engine) sync() {
	if !e.syncing.CompareAndSwap(false, true) {
		return
	}
	e.background.Go(func() {
		defer e.syncing.Store(false)
		if err := e.store.Sync(); err != nil {
			e.Metrics.CheckpointFailures.Inc()
			e.Logger.Error("Failed to sync the journal", "err", err)
		}
	})
}

// encode returns the state, all steps of which are before the journal that
// rotate begins.
func (s *shared) encode(rotate func() (uint64, error)) (uint64, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation, err := rotate()
	if err != nil {
		return 0, nil, err
	}
	c := wire.NewWriter(make([]byte, 0, s.size+s.size/8))
	s.state.code(c)
	s.size, s.grown = len(c.Bytes()), 0
	s.failed = nil
	return generation, c.Bytes(), nil
}

// sizes returns the bytes of the journal and of the snapshot before it.
func (s *shared) sizes() (journal, snapshot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grown, s.size
}

// failure returns the first failure of the journal since it was begun.
func (s *shared) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// keep has every step from now on written to the journal.
func (s *shared) keep(j journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = j
}
