package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

const (
	saves        = "ccwatchd_checkpoints_total"
	failures     = "ccwatchd_checkpoint_failures_total"
	damaged      = "ccwatchd_state_damaged_total"
	lost         = "ccwatchd_state_lost_total"
	writeBlocked = "ccwatchd_state_write_blocked"
)

// requestsIn fills a snapshot as a server that scrapes does, and returns how many
// requests it shows.
func (w *world) requestsIn(snap *ledger.Snapshot) uint64 {
	w.Helper()
	if !w.d.SnapshotInto(snap) {
		w.Fatal("the daemon shows nothing")
	}
	return totalsOf(snap, aside...)[requests]
}

// freezes breaks the journal, and has something happen that cannot be written.
func (w *world) freezes(meanwhile string) {
	w.Helper()
	if err := w.d.store.Close(); err != nil { // its journal with it
		w.Fatal(err)
	}
	w.add("p/a.jsonl", meanwhile)
	w.eventually("a failure", func() bool { return w.metric(writeBlocked) == 1 })
}

// What cannot be written is not shown: the counters stand still until a snapshot
// is written, and then show everything.
func TestJournalFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	var shown ledger.Snapshot
	if got := w.requestsIn(&shown); got != 1 {
		t.Fatalf("%d requests are shown, want 1", got)
	}
	w.freezes(said("b", 1))
	w.add("p/a.jsonl", said("c", 1))
	if got := w.requestsIn(&shown); got != 1 {
		t.Errorf("%d requests are shown that a crash would take back, want 1", got)
	}
	if got := w.requestsIn(new(ledger.Snapshot)); got != 1 {
		t.Errorf("%d requests are exposed to a new scraper, want 1", got)
	}
	if got := w.metric(failures); got != 1 {
		t.Errorf("%s = %v, want 1", failures, got)
	}
	before := w.metric(saves)
	w.advance(retrySave)
	w.eventually("another snapshot", func() bool { return w.metric(saves) > before })
	w.shows(counted(3, 3))
	if got := w.metric(writeBlocked); got != 0 {
		t.Errorf("%s = %v, want 0", writeBlocked, got)
	}
	w.add("p/a.jsonl", said("d", 1))
	w.shows(counted(4, 4))
	w.die(nil, func() { w.remove("p") })
	w.shows(counted(4, 4))
}

// A daemon that dies while nothing could be written has shown nothing that its
// successor does not, be it that the transcripts have gone with it, or that their
// lines are read in another order now.
func TestDiesWhileNothingIsWritten(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		between func(w *world)
		want    totals
	}{
		"and the transcripts stay":  {func(*world) {}, counted(3, 3)},
		"and the transcripts go":    {func(w *world) { w.remove("p") }, counted(1, 1)},
		"and another copy is found": {func(w *world) { w.write("p/0.jsonl", said("b", 2)); w.remove("p/a.jsonl") }, counted(3, 2)},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 1))
			w.start()
			w.shows(counted(1, 1))
			w.freezes(said("b", 1) + said("c", 1))
			stop := w.keepScraping()
			w.die(nil, func() { tt.between(w) })
			stop()
			w.shows(tt.want)
		})
	}
}

// A brittle journal fails when it is told to.
type brittle struct{ err error }

func (b *brittle) Append([]byte) error { return b.err }

// While no snapshot can be written but the journal can, the daemon goes on, and
// tries again.
func TestSnapshotFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	inTheWay := filepath.Join(w.state, "journal-2")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	w.add("p/a.jsonl", said("b", 50)) // enough to be worth a snapshot
	w.shows(counted(51, 2))
	w.advance(w.settings.Checkpoint)
	w.eventually("a failure", func() bool { return w.metric(failures) > 0 })
	w.add("p/a.jsonl", said("c", 1))
	w.shows(counted(52, 3))
	if got := w.metric(writeBlocked); got != 0 {
		t.Errorf("%s = %v, want 0", writeBlocked, got)
	}
	before := w.metric(saves)
	if err := os.Remove(inTheWay); err != nil { // from now on it may be written at any time
		t.Fatal(err)
	}
	w.advance(retrySave)
	w.eventually("another snapshot", func() bool { return w.metric(saves) > before })
	w.add("p/a.jsonl", said("d", 1))
	w.shows(counted(53, 4))
	w.die(nil, func() { w.remove("p") })
	w.shows(counted(53, 4))
}

// A state that is taken away from a running daemon is written anew, as a whole.
func TestStateTakenAway(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("what is open can be neither removed nor moved")
	}
	file := func(name string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	for name, away := range map[string]func(dir string) error{
		"removed":              os.RemoveAll,
		"removed with parents": func(dir string) error { return os.RemoveAll(filepath.Dir(dir)) },
		"moved":                func(dir string) error { return os.Rename(dir, dir+"-away") },
		"without its lock":     file("lock"),
		"without its snapshot": file("state"),
		"without its journal":  func(dir string) error { return os.Remove(filepath.Join(dir, "journal-1")) },
		"emptied": func(dir string) error {
			for _, name := range []string{"lock", "pid", "state", "journal-1"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
			return nil
		},
		"exchanged for garbage": func(dir string) error {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				return err
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "state"), []byte("garbage"), 0o600)
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.state = filepath.Join(t.TempDir(), "above", "state")
			w.write("p/a.jsonl", said("a", 1))
			w.start()
			w.shows(counted(1, 1))
			before := w.metric(saves)
			if err := away(w.state); err != nil {
				t.Fatal(err)
			}
			w.add("p/a.jsonl", said("b", 1))
			w.advance(retrySave)
			w.eventually("another snapshot", func() bool { return w.metric(saves) > before })
			w.shows(counted(2, 2))
			if got := fmt.Sprint(w.metric(lost), w.metric(writeBlocked), w.metric(failures)); got != "1 0 0" {
				t.Errorf("%s, %s and %s are %s, want 1 0 0", lost, writeBlocked, failures, got)
			}
			w.add("p/a.jsonl", said("c", 1))
			w.shows(counted(3, 3))
			w.die(nil, func() { w.remove("p") })
			w.shows(counted(3, 3))
			if got := w.metric(damaged); got != 0 {
				t.Errorf("%s = %v, want 0", damaged, got)
			}
		})
	}
}

// Whoever removes the lock of a running daemon lets another one start. The first
// one then keeps its hands off, shows nothing more, and goes on when it is alone.
func TestTwoDaemonsAfterTheLockIsRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	if err := os.Remove(filepath.Join(w.state, "lock")); err != nil {
		t.Fatal(err)
	}
	other := newWorld(t)
	other.dir, other.state, other.settings = w.dir, w.state, w.settings
	other.start()
	w.advance(retrySave)
	w.eventually("the first one noticing", func() bool { return w.metric(writeBlocked) == 1 })
	w.add("p/a.jsonl", said("b", 1))
	other.shows(counted(2, 2))
	failed := w.metric(failures)
	w.advance(retrySave)
	w.eventually("another try", func() bool { return w.metric(failures) > failed })
	other.restart() // which saves; nothing of the first one is in its way
	other.shows(counted(2, 2))
	if got := other.metric(damaged) + other.metric(lost) + other.metric(failures); got != 0 {
		t.Error("the other one has lost something of its state")
	}
	other.halt()
	w.advance(retrySave)
	w.eventually("the counters going on", func() bool { return w.metric(writeBlocked) == 0 })
	w.add("p/a.jsonl", said("c", 1))
	w.shows(counted(3, 3))
	w.restart()
	w.shows(counted(3, 3))
}

// A journal that fails while a daemon that was restarted catches up is made good for
// before anything is shown: the first scrape has all the series.
func TestJournalFailsWhileCatchingUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.write("p/b.jsonl", said("b", 1))
	w.start()
	w.remove("p/b.jsonl")
	w.eventually("the file being missed", func() bool { return w.files() == 1 })
	w.halt()
	w.advance(2 * w.settings.Retention) // so that it is forgotten at the next start

	d := w.opened()
	broken := false
	before, _ := d.state.Sizes()
	d.now = func() time.Time {
		if journal, _ := d.state.Sizes(); journal > before && !broken { // it is written to
			broken = true
			_ = d.store.Close() // and the journal with it
		}
		return w.now()
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	w.d, w.stop = d, func() error {
		cancel()
		return <-done
	}
	w.eventually("catching up", d.Ready)
	if !d.SnapshotInto(new(ledger.Snapshot)) {
		t.Error("the first scrape shows nothing")
	}
	if got := w.metric(saves); got != 1 || !broken {
		t.Errorf("%s = %v, want 1, after the journal failed (%t)", saves, got, broken)
	}
	w.shows(counted(2, 2))
}
