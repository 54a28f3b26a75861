package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
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
	// retrySave is how long to wait after a snapshot that failed, unless they are
	// wanted more often.
	retrySave = 10 * time.Second
)

// worthSaving reports whether another snapshot is worth writing, some time after
// the last one: when the journal has grown enough, in bytes, beside the snapshot.
func (s *Settings) worthSaving(journal, snapshot int, since time.Duration) bool {
	worth := max(s.Journal, snapshot/savedPerJournal, 1)
	return journal >= worth && since >= s.Checkpoint || journal >= overdue*worth
}

// secure saves the state when it is worth it, and when what was written before
// is not there any more, or not all of it.
func (e *engine) secure(now time.Time) {
	since := now.Sub(e.saved)
	journal, snapshot := e.shared.sizes()
	broken := e.unsafe.Load() || e.shared.failure() != nil || e.store.Check() != nil
	if e.tellFrozen(); broken && since >= min(retrySave, e.settings.Checkpoint) || e.settings.worthSaving(journal, snapshot, since) {
		e.trySave()
	}
}

// trySave saves the state and reports whether that went well. If not, it is
// tried again.
func (e *engine) trySave() bool {
	err := e.save()
	if err != nil {
		e.Logger.Error("Failed to save the state, will try again", "err", err)
	}
	e.tellFrozen()
	return err == nil
}

// save writes a snapshot. Until it is written the journal before it stays, so
// a failure loses nothing.
func (e *engine) save() error {
	start := e.now()
	e.saved = start
	size, err := e.write()
	e.unsafe.Store(err != nil)
	if err != nil {
		e.Metrics.CheckpointFailures.Inc()
		return err
	}
	e.Metrics.Checkpoints.Inc()
	e.Metrics.CheckpointSize.Set(float64(size))
	e.Metrics.CheckpointLastSuccess.Set(float64(e.now().UnixMilli()) / 1000)
	e.Logger.Debug("Saved the state", "bytes", size, "took", e.now().Sub(start))
	return nil
}

func (e *engine) write() (size int, err error) {
	if err := e.hold(); err != nil {
		return 0, err
	}
	generation, snapshot, err := e.shared.encode(e.store.Rotate)
	if err != nil {
		return 0, err
	}
	if err := e.store.Commit(generation, snapshot); err != nil {
		return 0, err
	}
	e.shared.thaw()
	return len(snapshot), nil
}

// hold takes the state directory again if somebody has removed it, or something
// in it, or has put another in its place. Until everything is written anew a crash
// would take back what is shown.
func (e *engine) hold() error {
	lost := e.store.Check()
	if lost == nil {
		return nil
	}
	if e.shared.failure() == nil { // else it was told
		e.Metrics.StateLost.Inc()
		e.Logger.Error("State is not where it was written, writing it anew", "err", lost)
	}
	e.shared.freeze(lost)
	aside, err := e.store.Retake()
	for _, foreign := range aside {
		e.Logger.Warn("Found a state that another process has left", "err", foreign)
	}
	return err
}

// tellFrozen says when the counters begin to stand still, and when they go on.
func (e *engine) tellFrozen() {
	why := e.shared.failure()
	switch {
	case why != nil && !e.writeBlocked:
		e.Metrics.CheckpointFailures.Inc()
		e.Metrics.WriteBlocked.Set(1)
		e.Logger.Error("Failed to write the journal, the counters stand still until the state can be saved", "err", why)
	case why == nil && e.writeBlocked:
		e.Metrics.WriteBlocked.Set(0)
		e.Logger.Info("The state is saved again, the counters go on")
	}
	e.writeBlocked = why != nil
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
			e.unsafe.Store(true) // a snapshot is another file, on another place of the disk
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
	c := codec.NewWriter(make([]byte, 0, s.size+s.size/8))
	s.state.code(c)
	snapshot := c.Bytes()
	s.size, s.grown, s.missed = len(snapshot), 0, false
	return generation, snapshot, nil
}

// sizes returns the bytes of the journal and of the snapshot before it.
func (s *shared) sizes() (journal, snapshot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grown, s.size
}

// restored reports whether the state is the one that was loaded, of a daemon that
// had caught up.
func (s *shared) restored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.begun && !s.missed
}

// freeze has what is shown stand still.
func (s *shared) freeze(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause(why)
}

// thaw has it go on after what was encoded last has been written, unless it was
// outrun.
func (s *shared) thaw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.missed {
		s.failed, s.paused = nil, ledger.Snapshot{}
	}
}

// failure returns why what is shown stands still, or nil.
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
