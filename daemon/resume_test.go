package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// snapshotTime is when the snapshot on the disk was written.
func (w *world) snapshotTime() time.Time {
	w.Helper()
	info, err := os.Stat(filepath.Join(w.state, "state"))
	if err != nil {
		w.Fatal(err)
	}
	return info.ModTime()
}

// Where nothing has changed since the last stop, a start writes no snapshot: the
// one that is there, and the journal since, are gone on with. Whoever dies then
// loses nothing either.
func TestStartWritesNothingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	w.shows(counted(2, 1))
	w.halt()
	before := w.snapshotTime()
	w.start()
	w.shows(counted(2, 1))
	if now := w.snapshotTime(); !now.Equal(before) {
		t.Error("a snapshot was written anew")
	}
	if got, want := w.metric("ccwatchd_checkpoint_last_success_timestamp_seconds"), float64(before.UnixMilli())/1000; got != want {
		t.Errorf("the newest snapshot is of %f, want %f", got, want)
	}
	for i := range 3 { // each goes on where the one before has died
		w.add("p/a.jsonl", said(string(rune('b'+i)), 1))
		w.shows(counted(uint64(3+i), uint64(2+i)))
		w.dies()
		w.shows(counted(uint64(3+i), uint64(2+i)))
	}
	if now := w.snapshotTime(); !now.Equal(before) {
		t.Error("a snapshot was written anew, with nothing new since the journal")
	}
	w.settlesTo(w.once())
}

// dies replaces the daemon by one that finds what is on the disk at this moment.
func (w *world) dies() {
	w.Helper()
	state := filepath.Join(w.TempDir(), "state")
	w.copyLocked(state)
	stamp := w.snapshotTime()
	w.halt()
	w.state = state
	if err := os.Chtimes(filepath.Join(state, "state"), stamp, stamp); err != nil {
		w.Fatal(err)
	}
	w.start()
}

// Options that were changed while nobody ran hold from the start on, and for
// whoever repeats what came after it, too.
func TestStartWithOtherLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.halt()
	w.settings.Ledger.Limits = map[string]int{"project": 1}
	w.start()
	w.add("p/a.jsonl", said("b", 1)) // in a project of its own
	const overflow = `ccwatchd_label_overflow_total{label="project"}`
	w.eventually("a label being full", func() bool { return w.totals()[overflow] > 0 })
	want := w.totals()
	w.dies()
	w.comesTo(want)
}
