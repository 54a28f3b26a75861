package state

import (
	"bytes"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
)

// A keepingJournal keeps the last frame instead of storing it.
type keepingJournal struct{ last []byte }

func (j *keepingJournal) Append(frame []byte) error {
	j.last = bytes.Clone(frame)
	return nil
}

// A frame with a correct checksum that cannot be applied leaves no change: its lines
// will be read again.
func TestInvalidFrame(t *testing.T) {
	batches, files := lines(3)
	dir := t.TempDir()
	s, store := started(t, dir, files, func() error { return nil })
	for i := range batches[:len(batches)-1] {
		s.Change(read(&batches[i]))
	}
	s.Release(s.Pending())
	want := seen(s)
	var j keepingJournal
	s.SetJournal(&j)
	s.Change(read(&batches[len(batches)-1]))
	if err := store.Append(j.last[:len(j.last)-1]); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // only read
	restored := newState()
	report, err := store.Load(restored.LoadSnapshot, restored.Replay)
	if err != nil || len(report.Damage) != 1 {
		t.Fatalf("got damage %v, %v, want one damaged file", report.Damage, err)
	}
	if err := restored.Restored(report.Snapshot, report.Journals); err != nil {
		t.Fatal(err)
	}
	restored.Change(func(l *ledger.Ledger, _ int64) { l.Configure(ledgertest.Options()) })
	if got := seen(restored); got != want {
		t.Errorf("the restored state differs:\n%s", difftest.Diff(want, got))
	}
}
