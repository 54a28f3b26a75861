package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A stateChange changes the files of a state directory.
type stateChange func(t testing.TB, dir string) error

// flip flips a bit of a file.
func flip(file func(testing.TB, string) string, at int64) stateChange {
	return func(t testing.TB, dir string) error { return flipBit(file(t, dir), at) }
}

func truncate(file func(testing.TB, string) string, at int64) stateChange {
	return func(t testing.TB, dir string) error {
		if size := fileSize(t, file(t, dir)); size <= at {
			return fmt.Errorf("the file has only %d bytes", size)
		}
		return os.Truncate(file(t, dir), at)
	}
}

// Damaged files are reported once and quarantined, and their contents are counted again
// from the transcripts.
func TestDamagedState(t *testing.T) {
	const state, journal = "state.damaged-1", "journal-1.damaged-1"
	type testCase struct {
		damage      stateChange
		quarantined []string
		reported    float64
	}
	runCases(t, map[string]testCase{
		"snapshot corrupt":   {flip(snapshotPath, 50), []string{journal, state}, 2},
		"snapshot truncated": {truncate(snapshotPath, 50), []string{journal, state}, 2},
		"journal corrupt":    {flip(newestJournal, 70), []string{journal}, 1},
		"journal truncated":  {truncate(newestJournal, 70), nil, 0},
		"invalid frame":      {appendFrame([]byte{250, 1, 2}), []string{journal}, 1},
		"journal missing":    {func(t testing.TB, dir string) error { return os.Remove(newestJournal(t, dir)) }, nil, 1},
	}, func(old *harness, tt testCase) {
		old.Write(fileA, replies("a", 2))
		old.start()
		old.Append(fileA, replies("b", 1)+openReply("c"))
		old.waitFor(counts(3, 3))
		h := old.withState(old.TempDir())
		old.copyState(h.stateDir, nil)
		old.stop()
		h.Must(tt.damage(h, h.stateDir))
		h.start()
		h.waitFor(counts(3, 3))
		h.expireMessageTimeout()
		h.waitFor(totals{requests: 4})
		var quarantined []string
		for name := range transcripttest.ReadTree(h, h.stateDir) {
			if strings.Contains(name, "damaged") {
				quarantined = append(quarantined, name)
			}
		}
		if slices.Sort(quarantined); !slices.Equal(quarantined, tt.quarantined) {
			h.Errorf("quarantined %v, want %v", quarantined, tt.quarantined)
		}
		h.checkMetric(stateDamaged, tt.reported)
		h.restart()
		h.waitFor(totals{requests: 4})
		h.checkMetric(stateDamaged, 0)
	})
}

// historyDependent are the families and labels that depend on how often a file was
// read, and on the order of copies.
var historyDependent = append([]string{
	"ccwatchd_duplicates_total", "ccwatchd_file_resets_total", "ccwatchd_lines_total", readBytes,
}, summedLabels...)

// A crashedState is a state directory after a crash, with a journal of many frames, and
// the totals of the next daemon.
type crashedState struct {
	*harness
	dir  string
	want totals
}

// crashWithManyFrames counts a fork in another project, a file that is deleted and
// created again, a message that times out, and a message that is still open.
func crashWithManyFrames(t *testing.T) crashedState {
	t.Helper()
	h := newHarness(t)
	h.settings.Journal = 1 << 30 // no snapshot replaces the frames
	h.startWithReplies(2)
	h.Append(fileA, replies("b", 1)+openReply("c"))
	h.waitFor(counts(3, 3))
	h.expireMessageTimeout()
	h.waitFor(totals{requests: 4})
	h.Write("q/fork.jsonl", replies("b", 2))
	h.waitFor(totals{requests: 5})
	h.Remove(fileA)
	h.waitForFileCount(1)
	h.Replace(fileA, replies("a", 3)+replies("b", 1)+openReply("c"))
	h.waitFor(totals{requests: 6})
	h.createNow("q/d.jsonl", openReply("d"))
	h.waitForOpenMessages(1)
	for i := range 3 { // a busy machine may write several changes above as one frame
		h.createNow(fmt.Sprintf("q/e%d.jsonl", i), replies(fmt.Sprint("e", i), 1))
		h.waitFor(totals{requests: uint64(7 + i)})
	}
	s := crashedState{h, h.TempDir(), nil}
	h.copyState(s.dir, nil)
	h.expireMessageTimeout()
	h.waitFor(totals{requests: 10, turns: 8}) // the turns of other files may end later
	s.want = h.totals(historyDependent...)
	h.stop()
	return s
}

// check starts a daemon with a changed copy of the state directory, waits until the
// totals are right, and checks how many damaged files are reported.
func (s crashedState) check(what string, wantDamaged float64, change stateChange) {
	s.Helper()
	h := s.withState(s.TempDir())
	h.Must(os.CopyFS(h.stateDir, os.DirFS(s.dir)))
	h.Must(change(s, h.stateDir))
	h.start()
	h.waitForAll(s.want, historyDependent...)
	h.checkMetric(stateDamaged, wantDamaged)
	if h.stop(); s.Failed() {
		s.Fatal(what)
	}
}

// Damage anywhere in a journal or snapshot is reported, except a truncated journal, as
// after a power failure. Nothing is counted twice or lost.
func TestStateDamagedAnywhere(t *testing.T) {
	t.Parallel()
	s := crashWithManyFrames(t)
	frames := framesOf(t, s.dir)
	if len(frames) < 10 {
		t.Fatalf("got only %d frames", len(frames))
	}
	for _, f := range frames {
		for _, offset := range []int64{f.from, (f.from + f.to) / 2, f.to - 1} {
			s.check(fmt.Sprint("journal corrupt at ", offset), 1, flip(newestJournal, offset))
		}
		for _, offset := range []int64{f.from, f.to - 1} {
			s.check(fmt.Sprint("journal truncated at ", offset), 0, truncate(newestJournal, offset))
		}
	}
	last := fileSize(t, snapshotPath(t, s.dir)) - 1
	for i := range int64(20) {
		offset := i * last / 19
		// The journal that continues the snapshot is lost, too.
		s.check(fmt.Sprint("snapshot corrupt at ", offset), 2, flip(snapshotPath, offset))
		s.check(fmt.Sprint("snapshot truncated at ", offset), 2, truncate(snapshotPath, offset))
	}
}

// State files removed or replaced under a running daemon are written again.
func TestStateFilesRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files can be neither removed nor renamed")
	}
	remove := func(names ...string) func(string) error {
		return func(dir string) (err error) {
			for _, name := range names {
				err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
			}
			return err
		}
	}
	runCases(t, map[string]func(dir string) error{
		"directory removed":             os.RemoveAll,
		"directory removed with parent": func(dir string) error { return os.RemoveAll(filepath.Dir(dir)) },
		"directory renamed":             func(dir string) error { return os.Rename(dir, dir+"-away") },
		"lock removed":                  remove("lock"),
		"snapshot removed":              remove("state"),
		"journal removed":               remove("journal-1"),
		"all files removed":             remove("lock", "pid", "state", "journal-1"),
		"replaced by garbage": func(dir string) error {
			return errors.Join(
				os.Rename(dir, dir+"-away"),
				os.Mkdir(dir, 0o700),
				os.WriteFile(filepath.Join(dir, "state"), []byte("garbage"), 0o600),
			)
		},
	}, func(h *harness, change func(dir string) error) {
		h.stateDir = filepath.Join(h.TempDir(), "above", "state")
		h.stopClock() // nothing is saved during the change
		h.startWithReplies(1)
		h.waitForIncrease(saves, 1, func() {
			h.Must(change(h.stateDir))
			h.Append(fileA, replies("b", 1))
			h.advance(retrySave)
		})
		h.waitFor(counts(2, 2))
		h.checkMetric(stateLost, 1)
		h.waitForMetric(writeBlocked, 0)
		h.checkMetric(saveFailures, 0)
		h.Append(fileA, replies("c", 1))
		h.waitFor(counts(3, 3))
		h.crash(nil, func() { h.Remove("p") })
		h.waitFor(counts(3, 3))
		h.checkMetric(stateDamaged, 0)
	})
}

// If the lock is removed and a second daemon starts, the first daemon writes nothing
// and pauses its counters until the second daemon has ended.
func TestSecondDaemonAfterLockIsRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	h := startWithReplies(t, 1)
	h.Must(os.Remove(filepath.Join(h.stateDir, "lock")))
	other := h.withState(h.stateDir)
	other.start()
	h.advance(retrySave)
	h.waitForMetric(writeBlocked, 1)
	h.Append(fileA, replies("b", 1))
	other.waitFor(counts(2, 2))
	h.waitForIncrease(saveFailures, 1, func() { h.advance(retrySave) })
	other.restart() // which saves, undisturbed by the first daemon
	other.waitFor(counts(2, 2))
	for _, name := range []string{stateDamaged, stateLost, saveFailures} {
		other.checkMetric(name, 0)
	}
	other.stop()
	h.advance(retrySave)
	h.waitForMetric(writeBlocked, 0)
	h.Append(fileA, replies("c", 1))
	h.waitFor(counts(3, 3))
	h.restart()
	h.waitFor(counts(3, 3))
}
