package state

import (
	"errors"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A brittle journal fails on demand.
type brittle struct{ err error }

func (b *brittle) Append([]byte) error { return b.err }

func truncations(s *State) uint64 {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	return truncationsIn(&snap)
}

// truncationsIn is the number of files that were truncated.
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

// What happens after a snapshot was made, and is in no journal, is not exposed when
// that snapshot is written, but when the next one is.
func TestSnapshotIsOutrun(t *testing.T) {
	j := new(brittle)
	s := New(ledgerOptions(), time.Now)
	s.Release(s.NewestPending())
	s.SetJournal(j)
	resets := func() uint64 { return truncations(s) }
	happens := func() { s.Reset(0, ledger.Truncated) }
	exposes := func(when string, want uint64) {
		t.Helper()
		if got := resets(); got != want {
			t.Errorf("%s: %d resets are exposed, want %d", when, got, want)
		}
	}
	encode := func() {
		t.Helper()
		if _, _, err := s.Encode(func() (uint64, error) { return 1, nil }); err != nil {
			t.Fatal(err)
		}
	}
	happens()
	exposes("while all is well", 1)
	encode()
	j.err = errors.New("full")
	happens()
	j.err = nil
	s.Saved()
	exposes("in neither the snapshot nor the journal", 1)
	encode()
	exposes("before the snapshot is written", 1)
	var one, other ledger.Snapshot
	s.SnapshotInto(&one)
	s.SnapshotInto(&other)
	happens()
	s.Saved()
	exposes("what was written nowhere", 1)
	encode()
	s.Saved()
	exposes("everything is written", 3)
	s.SnapshotInto(&one)
	if got := truncationsIn(&other); got != 1 {
		t.Errorf("the paused snapshot has become %d, want 1", got)
	}
}
