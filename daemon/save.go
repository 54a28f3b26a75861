package daemon

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// snapshotPerJournal is the maximum ratio of snapshot bytes to journal bytes. It makes
	// the bytes written depend on the activity instead of the size of the state, and keeps
	// the journal to replay short compared with the snapshot.
	snapshotPerJournal = 4
	// overdue: if the journal grows to this multiple of its usual size, a snapshot is
	// written before its interval has passed.
	overdue = 4
	// retrySave is the maximum delay after a failed snapshot.
	retrySave = 10 * time.Second
)

// worthSaving reports whether the journal has grown enough for another snapshot, given
// the sizes of the journal and of the last snapshot, and the snapshot's age.
func (s *Settings) worthSaving(journal, snapshot int, since time.Duration) bool {
	enough := max(s.Journal, snapshot/snapshotPerJournal, 1)
	return journal >= enough && since >= s.Checkpoint || journal/overdue >= enough
}

// A saver writes the state to the state directory. Only the engine calls its methods.
type saver struct {
	daemon   *Daemon
	lastSave time.Time     // time of the last attempt
	took     time.Duration // of that attempt
	paused   bool          // the log states that the counters are paused

	failed     atomic.Bool // the last save or sync failed
	syncing    atomic.Bool
	background sync.WaitGroup
}

// wait waits for a running sync.
func (s *saver) wait() { s.background.Wait() }

// saveIfDue saves the state if the journal has grown enough, or if the files on disk
// may be incomplete.
func (s *saver) saveIfDue(now time.Time) {
	d := s.daemon
	since := now.Sub(s.lastSave)
	journal, snapshot := d.state.Sizes()
	incomplete := s.failed.Load() || d.state.PausedBy() != nil || d.store.Check() != nil
	s.reportPause()
	settings := d.settings.Load()
	if incomplete && since >= min(retrySave, settings.Checkpoint) || settings.worthSaving(journal, snapshot, since) {
		s.trySave()
	}
}

// trySave saves the state and reports whether it succeeded. It logs the error.
func (s *saver) trySave() bool {
	err := s.save()
	if err != nil {
		s.daemon.log.Error("Failed to save the state, will retry", "err", err)
	}
	s.reportPause()
	return err == nil
}

// save writes a snapshot. The previous journal is kept until the snapshot is complete,
// so that a failure loses nothing.
func (s *saver) save() error {
	d := s.daemon
	start := d.now()
	s.lastSave = start
	size, err := s.write()
	s.took = d.now().Sub(start)
	s.failed.Store(err != nil)
	if err != nil {
		d.metrics.CheckpointFailures.Inc()
		return err
	}
	d.metrics.Checkpoints.Inc()
	d.metrics.CheckpointSize.Set(float64(size))
	d.metrics.CheckpointLastSuccess.Set(float64(d.now().UnixMilli()) / 1000)
	d.log.Debug("Saved the state", "bytes", size, "took", s.took)
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

// reacquire locks the state directory again if the directory or a file in it was
// removed or replaced. Counters are paused until the state is written, so that they
// cannot fall after a crash.
func (s *saver) reacquire() error {
	d := s.daemon
	lost := d.store.Check()
	if lost == nil {
		return nil
	}
	if d.state.PausedBy() == nil { // not logged yet
		d.metrics.StateLost.Inc()
		d.log.Error("State files were removed or replaced, rewriting", "err", lost)
	}
	d.state.Pause(lost)
	quarantined, err := d.store.Reacquire()
	for _, foreign := range quarantined {
		d.log.Warn("Quarantined state files of another process", "err", foreign)
	}
	return err
}

// reportPause logs and exports whether the counters are paused.
func (s *saver) reportPause() {
	d := s.daemon
	why := d.state.PausedBy()
	switch {
	case why != nil && !s.paused:
		d.metrics.CheckpointFailures.Inc()
		d.metrics.WriteBlocked.Set(1)
		d.log.Error("Cannot save the state, counters are paused until it is saved", "err", why)
	case why == nil && s.paused:
		d.metrics.WriteBlocked.Set(0)
		d.log.Info("Saved the state, resuming the counters")
	}
	s.paused = why != nil
}

// sync syncs the journal to disk in the background. Only one sync runs at a time.
func (s *saver) sync() {
	if !s.syncing.CompareAndSwap(false, true) {
		return
	}
	d := s.daemon
	s.background.Go(func() {
		defer s.syncing.Store(false)
		if err := d.store.Sync(); err != nil {
			s.failed.Store(true) // write a snapshot instead: another file, elsewhere on the disk
			d.metrics.CheckpointFailures.Inc()
			d.log.Error("Failed to sync the journal", "err", err)
		}
	})
}

// warnIfShared warns if other users can change the state, and thereby the counters.
func (d *Daemon) warnIfShared() {
	switch mode, err := d.store.SharedMode(); {
	case err != nil:
		d.log.Warn("Failed to check who can change the state directory", "err", err)
	case mode != "":
		d.log.Warn("Other users can change the state directory, restrict it with chmod 700", "mode", mode)
	}
}
