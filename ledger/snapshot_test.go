package ledger

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A snapshot does not change the ledger.
func TestSnapshotChangesNothing(t *testing.T) {
	r := newReplayer(3, 3)
	l := apply(New(testOptions(), birth), r.randomSteps(60))
	before := encode(l)
	first := l.Snapshot(r.now + 1<<40) // no session is live at this time
	if got := len(first.Live); got != 0 {
		t.Errorf("got %d live sessions, want none", got)
	}
	if !bytes.Equal(encode(l), before) {
		t.Error("the ledger has changed")
	}
}

// A clone keeps its contents while SnapshotInto overwrites its original.
func TestCloneSharesNothing(t *testing.T) {
	r := newReplayer(3, 3)
	l := apply(New(testOptions(), birth), r.randomSteps(60))
	l.Configure(testOptions())
	l.Open(testFile(1_000_000, "live.jsonl"))
	live := inSession("live", r.now, r.now)
	live.File = 1_000_000
	l.AddBatch(live)
	kept := l.Snapshot(r.now)
	clone := kept.Clone()
	if d := (view{snapshot: clone}).difference(view{snapshot: kept}); d != "" || len(clone.Live) == 0 || len(clone.Active) == 0 {
		t.Errorf("got %d live sessions, and %s", len(clone.Live), d)
	}
	want := asJSON(t, &clone)

	later := r.now + 1<<40
	apply(l, r.randomSteps(60))
	releaseAll(l)
	live.Entries = inSession("later", later, later).Entries
	live.Now = later
	l.AddBatch(live)
	l.SnapshotInto(&kept, later)
	if got := asJSON(t, &clone); got != want {
		t.Errorf("the clone has changed: got %s, want %s", got, want)
	}
}

// asJSON returns the contents of a snapshot.
func asJSON(t *testing.T, s *Snapshot) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
