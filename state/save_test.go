package state

import (
	"errors"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
)

// A failingJournal fails on demand.
type failingJournal struct{ err error }

func (b *failingJournal) Append([]byte) error { return b.err }

func truncations(s *State) uint64 {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	return truncationsIn(&snap)
}

// truncationsIn returns the number of truncated files.
func truncationsIn(snap *ledger.Snapshot) (n uint64) {
	for _, f := range snap.Families {
		for _, s := range f.Samples {
			if f.Family.Name == "ccwatchd_file_resets_total" && s.Labels[0] == ledger.Truncated {
				n += s.Value
			}
		}
	}
	return n
}

// A step after a snapshot that is not in the journal is exposed once the next snapshot
// has been written, not when that snapshot has.
func TestPausedUntilNextSnapshot(t *testing.T) {
	j := new(failingJournal)
	s := New(ledgertest.Options(), time.Now)
	s.Release(s.NewestPending())
	s.SetJournal(j)
	resets := func() uint64 { return truncations(s) }
	reset := func() { s.Reset(0, ledger.Truncated) }
	wantResets := func(when string, want uint64) {
		t.Helper()
		if got := resets(); got != want {
			t.Errorf("%s: %d resets exposed, want %d", when, got, want)
		}
	}
	encode := func() {
		t.Helper()
		if _, _, err := s.Encode(func() (uint64, error) { return 1, nil }); err != nil {
			t.Fatal(err)
		}
	}
	reset()
	wantResets("while the journal works", 1)
	encode()
	j.err = errors.New("full")
	reset()
	j.err = nil
	s.Saved()
	wantResets("after a step in neither the snapshot nor the journal", 1)
	encode()
	wantResets("before the snapshot is written", 1)
	var one, other ledger.Snapshot
	s.SnapshotInto(&one)
	s.SnapshotInto(&other)
	reset()
	s.Saved()
	wantResets("after a step that was written nowhere", 1)
	encode()
	s.Saved()
	wantResets("after the next snapshot", 3)
	s.SnapshotInto(&one)
	if got := truncationsIn(&other); got != 1 {
		t.Errorf("the paused snapshot changed to %d, want 1", got)
	}
}
