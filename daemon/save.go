package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/wire"
)

const (
	// readPerSave is after how many bytes a snapshot is written early, so
	// that the journal does not grow long.
	readPerSave = 64 << 20
	// retrySave is how long to wait after a snapshot that failed.
	retrySave = 10 * time.Second
)

// save writes a snapshot. Until it is written the journal before it stays, so
// a failure loses nothing.
func (e *engine) save() error {
	start := e.now()
	e.saved, e.unsaved = start, 0
	generation, snapshot, err := e.shared.encode(e.store.Rotate)
	if err == nil {
		err = e.store.Commit(generation, snapshot)
	}
	if err != nil {
		e.Metrics.CheckpointFailures.Inc()
		e.unsafe = true
		return err
	}
	e.changed, e.unsafe = false, false
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
	s.size = len(c.Bytes())
	s.failed = nil
	return generation, c.Bytes(), nil
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
