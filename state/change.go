package state

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The methods in this file change counters. Each is one change.

// Open adds a file, or changes its path. modified is its modification time in
// nanoseconds since the epoch.
func (s *State) Open(file ledger.File, path transcript.Key, identity tailer.ID, modified int64) {
	s.change(func() {
		s.files.open(file.ID, path, identity, modified)
		s.ledger.Open(file)
	})
}

// AddBatch counts a batch of entries and records how far the file has been read. With
// settle, messages that are final or superseded are counted immediately.
func (s *State) AddBatch(batch ledger.Batch, fingerprint tailer.Fingerprint, modified int64, settle bool) {
	s.change(func() {
		s.ledger.AddBatch(&batch)
		if settle {
			s.ledger.Settle()
		}
		s.files.setRead(batch.File, fingerprint, modified)
	})
}

// Reset records that a file will be read from its beginning.
func (s *State) Reset(id ledger.FileID, reason string) {
	s.change(func() {
		s.ledger.Reset(id, reason, s.millis())
		s.files.setFingerprint(id, tailer.Fingerprint{})
	})
}

// FinalizeFile counts the pending messages of a file that is no longer written.
func (s *State) FinalizeFile(id ledger.FileID) {
	s.change(func() { s.ledger.FinalizeFile(id, s.millis()) })
}

// FinalizeAll counts all pending messages and releases all series, at the end of
// reading.
func (s *State) FinalizeAll() {
	s.Settle()
	for _, id := range s.AllPending() {
		s.FinalizeFile(id)
	}
	s.EndSessions()
	s.Release(s.Pending())
}

// EndSessions observes the sessions that have been quiet for a day, and counts the runs
// of sub-agents that have waited for as long.
func (s *State) EndSessions() { s.change(func() { s.ledger.EndSessions(s.millis()) }) }

// MarkMissing records that a walk did not find a file.
func (s *State) MarkMissing(id ledger.FileID) {
	s.change(func() {
		s.files.setMissing(id, s.millis())
		s.ledger.MarkMissing(id)
	})
}

// Forget drops the files that have been missing since before the given time, and the
// dedup keys that only they could repeat. It returns the number of files.
func (s *State) Forget(before time.Time) (files int) {
	s.change(func() {
		ids := s.files.missingBefore(before.UnixMilli())
		files = len(ids)
		s.ledger.Forget(ids, s.millis())
		s.files.forget(ids)
	})
	return files
}

// Configure changes the options of the ledger.
func (s *State) Configure(o ledger.Options) { s.change(func() { s.ledger.Configure(o) }) }

// Settle counts the messages that were held back while catching up.
func (s *State) Settle() { s.change(s.ledger.Settle) }
