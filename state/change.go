package state

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The methods in this file change counters. Each applies one step.

// Open adds a file, or changes its path. modified is its modification time in
// nanoseconds since the epoch.
func (s *State) Open(file ledger.File, path transcript.Key, identity tailer.ID, modified int64) {
	s.do(&openStep{file: file, path: path, identity: identity, modified: modified})
}

// AddBatch counts a batch of entries and records how far the file has been read. With
// settle, messages that are final or superseded are counted immediately.
func (s *State) AddBatch(batch ledger.Batch, fingerprint tailer.Fingerprint, modified int64, settle bool) {
	s.do(&batchStep{batch: batch, fingerprint: fingerprint, modified: modified, settle: settle})
}

// Reset records that a file will be read from its beginning.
func (s *State) Reset(id ledger.FileID, reason string) {
	s.do(&resetStep{id: id, reason: reason, now: s.millis()})
}

// FinalizeFile counts the pending messages of a file that is no longer written.
func (s *State) FinalizeFile(id ledger.FileID) {
	s.do(&finalizeStep{id: id, now: s.millis()})
}

// FinalizeAll counts all pending messages and releases all series, at the end of
// reading.
func (s *State) FinalizeAll() {
	s.Settle()
	for _, id := range s.AllPending() {
		s.FinalizeFile(id)
	}
	s.EndSessions()
	s.Release(s.NewestPending())
}

// EndSessions observes the sessions that have been quiet for a day, and counts the runs
// of sub-agents that have waited for as long.
func (s *State) EndSessions() {
	now := s.millis()
	s.mu.Lock()
	ended := s.fold.ledger.HasEndedSessions(now)
	s.mu.Unlock()
	if ended {
		s.do(&endSessionsStep{now})
	}
}

// MarkMissing records that a walk did not find a file.
func (s *State) MarkMissing(id ledger.FileID) {
	s.do(&missingStep{id: id, now: s.millis()})
}

// Forget drops the files that have been missing since before the given time, and the
// dedup keys that only they could repeat. It returns the number of files.
func (s *State) Forget(before time.Time) int {
	s.mu.Lock()
	ids := s.fold.files.missingBefore(before.UnixMilli())
	s.mu.Unlock()
	if len(ids) > 0 {
		s.do(&forgetStep{ids: ids, now: s.millis()})
	}
	return len(ids)
}

// Configure changes the options of the ledger.
func (s *State) Configure(o ledger.Options) { s.do(&configureStep{options: o}) }

// ConfigureRestored is Configure for the options that a restored state has by now: it
// only records them, if they have changed.
func (s *State) ConfigureRestored(o ledger.Options) {
	if !s.configured {
		s.Configure(o)
	}
}

// Settle counts the messages that were held back while catching up.
func (s *State) Settle() { s.do(&settleStep{}) }

// Release exposes the values of all series up to a number.
func (s *State) Release(upTo uint64) { s.do(&releaseStep{upTo}) }
