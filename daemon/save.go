package daemon

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// savedPerJournal is how many bytes of snapshots are written, at most, for each byte
	// of journal. So the bytes written follow from what happens and not from how much is
	// remembered, and the journal to replay is short compared with the snapshot to read.
	savedPerJournal = 4
	// overdue is how many times longer than worth a snapshot the journal becomes before
	// one is written ahead of time.
	overdue = 4
	// retrySave is how long to wait after a snapshot failed, unless they are wanted more
	// often.
	retrySave = 10 * time.Second
)

// worthSaving reports whether another snapshot is worth writing, some time after the last
// one: whether the journal has grown enough, in bytes, compared with the snapshot.
func (s *Settings) worthSaving(journal, snapshot int, since time.Duration) bool {
	worth := max(s.Journal, snapshot/savedPerJournal, 1)
	return journal >= worth && since >= s.Checkpoint || journal >= overdue*worth
}

// A saver writes the state to the state directory. Except for sync, it is used by the
// engine's goroutine only.
type saver struct {
	daemon  *Daemon
	saved   time.Time // when the last snapshot was written or tried
	blocked bool      // nothing can be written, and that was logged

	unsafe     atomic.Bool // what was written last may not be on the disk
	syncing    atomic.Bool
	background sync.WaitGroup
}

// wait waits for the goroutine of sync.
func (s *saver) wait() { s.background.Wait() }

// saveIfDue saves the state when it is worth it, and when what was written before is
// damaged or missing.
func (s *saver) saveIfDue(now time.Time) {
	d := s.daemon
	since := now.Sub(s.saved)
	journal, snapshot := d.state.Sizes()
	broken := s.unsafe.Load() || d.state.PausedBy() != nil || d.store.Check() != nil
	if s.reportPause(); broken && since >= min(retrySave, d.settings.Checkpoint) || d.settings.worthSaving(journal, snapshot, since) {
		s.trySave()
	}
}

// trySave saves the state and reports whether there was no error. It logs the error.
func (s *saver) trySave() bool {
	err := s.save()
	if err != nil {
		s.daemon.log.Error("Failed to save the state, will try again", "err", err)
	}
	s.reportPause()
	return err == nil
}

// save writes a snapshot. Until it is written, the journal before it stays, so a failure
// loses nothing.
func (s *saver) save() error {
	d := s.daemon
	start := d.now()
	s.saved = start
	size, err := s.write()
	s.unsafe.Store(err != nil)
	if err != nil {
		d.metrics.CheckpointFailures.Inc()
		return err
	}
	d.metrics.Checkpoints.Inc()
	d.metrics.CheckpointSize.Set(float64(size))
	d.metrics.CheckpointLastSuccess.Set(float64(d.now().UnixMilli()) / 1000)
	d.log.Debug("Saved the state", "bytes", size, "took", d.now().Sub(start))
	return nil
}

func (s *saver) write() (size int, err error) {
	if err := s.reacquire(); err != nil {
		return 0, err
	}
	d := s.daemon
	generation, snapshot, err := d.state.Encode(d.store.Rotate)
	if err != nil {
		return 0, err
	}
	if err := d.store.Commit(generation, snapshot); err != nil {
		return 0, err
	}
	d.state.Saved()
	return len(snapshot), nil
}

// reacquire takes the state directory again if it, or a file in it, was removed or
// replaced. The counters are paused until the state is written again, since a crash would
// take back what they show.
func (s *saver) reacquire() error {
	d := s.daemon
	lost := d.store.Check()
	if lost == nil {
		return nil
	}
	if d.state.PausedBy() == nil { // else it was logged
		d.metrics.StateLost.Inc()
		d.log.Error("State is not where it was written, writing it anew", "err", lost)
	}
	d.state.Pause(lost)
	quarantined, err := d.store.Reacquire()
	for _, foreign := range quarantined {
		d.log.Warn("Found a state that another process has left", "err", foreign)
	}
	return err
}

// reportPause logs when the counters are paused, and when they resume.
func (s *saver) reportPause() {
	d := s.daemon
	why := d.state.PausedBy()
	switch {
	case why != nil && !s.blocked:
		d.metrics.CheckpointFailures.Inc()
		d.metrics.WriteBlocked.Set(1)
		d.log.Error("Failed to write the journal, the counters stand still until the state can be saved", "err", why)
	case why == nil && s.blocked:
		d.metrics.WriteBlocked.Set(0)
		d.log.Info("The state is saved again, the counters go on")
	}
	s.blocked = why != nil
}

// sync makes the journal survive a crash of the machine. It does not delay reading, and
// only one sync runs at a time.
func (s *saver) sync() {
	if !s.syncing.CompareAndSwap(false, true) {
		return
	}
	d := s.daemon
	s.background.Go(func() {
		defer s.syncing.Store(false)
		if err := d.store.Sync(); err != nil {
			s.unsafe.Store(true) // a snapshot is another file, elsewhere on the disk
			d.metrics.CheckpointFailures.Inc()
			d.log.Error("Failed to sync the journal", "err", err)
		}
	})
}
