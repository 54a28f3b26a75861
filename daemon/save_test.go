package daemon

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

func TestWorthSaving(t *testing.T) {
	const mega = 1 << 20
	s := Settings{Journal: mega, Checkpoint: 10 * time.Minute}
	for name, tt := range map[string]struct {
		journal, snapshot int // bytes
		since             time.Duration
		want              bool
	}{
		"nothing happened":             {0, 18 * mega, 24 * time.Hour, false},
		"little happened":              {mega - 1, mega / 2, 24 * time.Hour, false},
		"enough for a small state":     {mega, mega / 2, 10 * time.Minute, true},
		"enough, but just saved":       {mega, mega / 2, 10*time.Minute - 1, false},
		"not enough for a large state": {4 * mega, 18 * mega, 24 * time.Hour, false},
		"enough for a large state":     {4*mega + mega/2, 18 * mega, 10 * time.Minute, true},
		"overdue":                      {4 * mega, mega / 2, time.Second, true},
		"large, not quite overdue":     {18*mega - 1, 18 * mega, time.Second, false},
		"large, overdue":               {18 * mega, 18 * mega, time.Second, true},
	} {
		checkEqual(t, name, s.worthSaving(tt.journal, tt.snapshot, tt.since), tt.want)
	}
	for _, s := range []Settings{{}, {Journal: math.MaxInt}} {
		checkEqual(t, "an empty journal", s.worthSaving(0, 0, time.Hour), false)
	}
}

// A larger snapshot, for example with a history, is never due earlier than a smaller
// snapshot.
func TestLargerSnapshotIsNotWrittenEarlier(t *testing.T) {
	const mega = 1 << 20
	s := &Settings{Journal: mega, Checkpoint: time.Minute}
	sizes := []int{0, 1, mega / 2, mega, 2 * mega, 4*mega + 1, 8 * mega, 9 * mega, 32 * mega, 100 * mega}
	for _, journal := range sizes {
		for _, since := range []time.Duration{time.Second, time.Hour} {
			for i, snapshot := range sizes[1:] {
				if s.worthSaving(journal, snapshot, since) && !s.worthSaving(journal, sizes[i], since) {
					t.Errorf("a journal of %d after %v: a snapshot of %d is written, and one of %d is not", journal, since, snapshot, sizes[i])
				}
			}
		}
	}
}

// A line read as soon as it is written takes few bytes of the journal, whatever its
// length.
func TestJournalBytesPerLine(t *testing.T) {
	t.Parallel()
	const limit = 350 // median: every line here settles something; 131 in genuine sessions
	h := newHarness(t)
	h.settings.Journal = 1 << 30
	h.startWithReplies(1)
	begin, _ := h.d.state.Sizes()
	s := &session{ID: "a", Name: "b", CWD: "/home/dev/app"}
	for i := range 20 {
		id := fmt.Sprint(i)
		s.Prompt(strings.Repeat("long ", 1000))
		s.Reply(reply{ID: "b" + id, In: 3, Out: 1, Read: 90_000, Write1: 4000, Calls: []call{{ID: "c" + id, Name: "Bash"}}})
		s.Reply(reply{ID: "b" + id, In: 3, Out: 700, Read: 90_000, Write1: 4000, Stop: "tool_use"})
		s.Result("c"+id, strings.Repeat("long ", 1000), false)
	}
	before := begin
	var each []int
	for _, line := range s.Lines {
		h.Append(fileA, line.String()+"\n")
		now := before
		h.waitUntil("the line is in the journal", func() bool {
			now, _ = h.d.state.Sizes()
			return now > before
		})
		each, before = append(each, now-before), now
	}
	slices.Sort(each)
	if got := each[len(each)/2]; got > limit {
		t.Errorf("got %d bytes of journal for a line, want at most %d", got, limit)
	}
}

// A snapshot is written once the journal is large enough.
func TestSavedWhenWorthIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.settings.Journal = 20_000
	h.startWithReplies(1)
	before := h.metric(saves)
	h.advance(24 * time.Hour)
	h.Append(fileA, replies("b", 10))
	h.waitFor(counts(11, 2))
	h.Write(fileB, replies("c", 400)) // overdue at once
	h.waitForMetric(saves, before+1)
	h.waitFor(counts(411, 3))
	if journal, _ := h.d.state.Sizes(); journal >= h.settings.Journal {
		t.Errorf("got a journal of %d bytes, want less than %d", journal, h.settings.Journal)
	}
}

// blockJournal makes the creation of the n-th journal fail, and so the n-th snapshot.
func (h *harness) blockJournal(n int) {
	h.Helper()
	h.Must(os.Mkdir(filepath.Join(h.stateDir, fmt.Sprint("journal-", n)), 0o700))
}

func (h *harness) unblockJournal(n int) {
	h.Helper()
	h.Must(os.Remove(filepath.Join(h.stateDir, fmt.Sprint("journal-", n))))
}

// saveLater advances the clock until a failed save is tried again, and waits for it.
func (h *harness) saveLater() {
	h.Helper()
	h.waitForIncrease(saves, 1, func() { h.advance(retrySave) })
}

// failJournal makes the journal fail, and appends text that cannot be written to it.
func (h *harness) failJournal(text string) {
	h.Helper()
	h.Must(h.d.store.Close()) // and the journal
	h.Append(fileA, text)
	h.waitForMetric(writeBlocked, 1)
}

// While the journal cannot be written, counters are paused for every scraper. After the
// next snapshot they include everything counted since.
func TestJournalFails(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.stopClock() // a failed save is not tried again
	h.startWithReplies(1)
	used := new(ledger.Snapshot)
	check := func(snap *ledger.Snapshot) {
		t.Helper()
		if !h.d.SnapshotInto(snap) {
			t.Fatal("the daemon exposes nothing")
		}
		checkEqual(t, "requests", totalsOf(snap, summedLabels...)[requests], 1)
	}
	check(used)
	h.failJournal(replies("b", 1))
	h.Append(fileA, replies("c", 1))
	check(used)
	check(new(ledger.Snapshot))
	h.checkMetric(saveFailures, 1)
	h.saveLater()
	h.waitFor(counts(3, 3))
	h.waitForMetric(writeBlocked, 0)
	h.Append(fileA, replies("d", 1))
	h.waitFor(counts(4, 4))
	h.crash(nil, func() { h.Remove("p") })
	h.waitFor(counts(4, 4))
}

// If a daemon crashes while the journal cannot be written, the next daemon counts
// everything that was exposed, even if transcripts are deleted or read in another
// order.
func TestCrashWhileJournalFails(t *testing.T) {
	type testCase struct {
		between func(h *harness)
		want    totals
	}
	runCases(t, map[string]testCase{
		"transcripts stay": {func(*harness) {}, counts(3, 3)},
		"transcripts go":   {func(h *harness) { h.Remove("p") }, counts(1, 1)},
		"a copy is found":  {func(h *harness) { h.Write("p/0.jsonl", replies("b", 2)); h.Remove(fileA) }, counts(3, 2)},
	}, func(h *harness, tt testCase) {
		h.stopClock() // the failed save is not tried again
		h.startWithReplies(1)
		h.failJournal(replies("b", 1) + replies("c", 1))
		stop := h.keepScraping()
		h.crash(nil, func() { tt.between(h) })
		stop()
		h.waitFor(tt.want)
	})
}

// While only snapshots cannot be written, the daemon keeps counting, and retries.
func TestSnapshotFails(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 1)
	h.blockJournal(2)
	h.Append(fileA, replies("b", 50)) // enough for a snapshot
	h.waitFor(counts(51, 2))
	h.advance(h.settings.Checkpoint)
	h.waitUntil("a save has failed", func() bool { return h.metric(saveFailures) > 0 })
	h.Append(fileA, replies("c", 1))
	h.waitFor(counts(52, 3))
	h.checkMetric(writeBlocked, 0)
	h.waitForIncrease(saves, 1, func() {
		h.unblockJournal(2)
		h.advance(retrySave)
	})
	h.Append(fileA, replies("d", 1))
	h.waitFor(counts(53, 4))
	h.crash(nil, func() { h.Remove("p") })
	h.waitFor(counts(53, 4))
}

// If the journal fails during the catch-up, a snapshot is written before anything is
// exposed: the first scrape has all series.
func TestJournalFailsDuringCatchUp(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, endedReplies("a", 1))
	h.Write(fileB, endedReplies("b", 1))
	h.start()
	h.Remove(fileB)
	h.waitForFileCount(1)
	h.stop()
	h.advance(2 * h.settings.Retention) // keys are forgotten at the next start
	h.Append(fileA, endedReplies("c", 1))

	d := h.newDaemon()
	failed := false
	before, _ := d.state.Sizes()
	d.now = func() time.Time {
		if journal, _ := d.state.Sizes(); journal > before && !failed { // it has grown
			failed = true
			_ = d.store.Close() // and the journal
		}
		return h.now()
	}
	h.run(d)
	h.waitUntil("the daemon has caught up", d.Ready)
	if !d.SnapshotInto(new(ledger.Snapshot)) {
		t.Error("the daemon exposes nothing")
	}
	h.checkMetric(saves, 1)
	if !failed {
		t.Error("the journal did not fail")
	}
	h.waitFor(counts(3, 3))
}
