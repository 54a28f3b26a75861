package state

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The methods in this file change what is counted. Each applies one step.

// Open adds a file, or updates where it is. The file was last modified at the given
// time, in nanoseconds since the epoch.
func (s *State) Open(file ledger.File, path transcript.Key, identity tailer.ID, modified int64) {
	s.do(&openStep{file: file, path: path, identity: identity, modified: modified})
}

// Read counts a batch of entries, up to which the file has been read. With settle,
// messages that another one has ended are counted at once.
func (s *State) AddBatch(batch ledger.Batch, mark tailer.Fingerprint, modified int64, settle bool) {
	s.do(&readStep{batch: batch, mark: mark, modified: modified, settle: settle})
}

// Reset says that a file will be read from its beginning.
func (s *State) Reset(id ledger.FileID, reason string) {
	s.do(&resetStep{id: id, reason: reason, now: s.millis()})
}

// FinalizeFile counts what is pending in a file: nothing more is expected for now.
func (s *State) FinalizeFile(id ledger.FileID) {
	s.do(&quietStep{id: id, now: s.millis()})
}

// FinalizeAll counts and releases everything that is pending: nothing more comes.
func (s *State) FinalizeAll() {
	s.Settle()
	for _, id := range s.AllPending() {
		s.FinalizeFile(id)
	}
	s.Release(s.NewestPending())
}

// Lose says that a file was not found.
func (s *State) MarkMissing(id ledger.FileID) {
	s.do(&goneStep{id: id, now: s.millis()})
}

// Forget drops the files that have been missing since before the given time, and
// the keys that only they could repeat. It returns the number of files.
func (s *State) Forget(before time.Time) int {
	s.mu.Lock()
	ids := s.fold.files.lostBefore(before.UnixMilli())
	s.mu.Unlock()
	if len(ids) > 0 {
		s.do(&forgetStep{ids: ids, now: s.millis()})
	}
	return len(ids)
}

// Configure puts other options in force.
func (s *State) Configure(o ledger.Options) { s.do(&configureStep{options: o}) }

// Settle counts the messages that were held back while catching up.
func (s *State) Settle() { s.do(&settleStep{}) }

// Release exposes the values of all series up to a number.
func (s *State) Release(upTo uint64) { s.do(&releaseStep{upTo}) }
