package daemon

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/statetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// key returns the key of a file in the state.
func (h *harness) key(rel string) transcript.Key { return transcript.KeyOf("path", h.Path(rel)) }

// offset returns the offset of the first unread byte of a file.
func (h *harness) offset(s *state.State, rel string) int64 {
	h.Helper()
	files, err := statetest.FileChanges(encoded(s))
	h.Must(err)
	for _, f := range files {
		if key := h.key(rel); f.Values[statetest.Path] == binary.LittleEndian.Uint64(key[:]) {
			return int64(f.Values[statetest.Offset])
		}
	}
	return 0
}

// openedFiles stops the daemon and returns the files of a directory that it had opened.
func (h *harness) openedFiles(dir string) (names []string) {
	h.Helper()
	known := h.d.known
	h.stop() // nothing uses the table of files any more
	for _, name := range transcripttest.ReadTree(h, h.Path(dir)).Names() {
		if known.IsOpened(h.key(dir + "/" + name)) {
			names = append(names, name)
		}
	}
	return names
}

// After a restart, only files that have changed or have open messages are opened.
func TestUnchangedFilesAreNotOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the identity of a file requires opening it")
	}
	t.Parallel()
	h := newHarness(t)
	for _, name := range []string{"unchanged", "grows", "touched", "replaced", "moved", "open", "rewritten"} {
		h.Write("p/"+name+".jsonl", endedReplies(name, 2))
	}
	h.Write("p/empty.jsonl", "")
	h.Append("p/open.jsonl", openReply("open"))
	h.start()
	h.waitFor(counts(14, 7))
	h.Append("p/unchanged.jsonl", endedReplies("later", 1))
	h.waitFor(counts(15, 8))
	h.stop()

	h.Append("p/grows.jsonl", endedReplies("more", 1))
	h.Touch("p/touched.jsonl", time.Now().Add(time.Hour))
	info := h.Stat("p/replaced.jsonl")
	h.Replace("p/replaced.jsonl", repliesOfSize("replaced", int(info.Size())))
	h.Touch("p/replaced.jsonl", info.ModTime())
	h.Rename("p/moved.jsonl", "p/elsewhere.jsonl")
	h.Write("p/rewritten.jsonl", repliesOfSize("rewritten", len(endedReplies("rewritten", 2))))
	h.start()
	want := []string{"elsewhere.jsonl", "grows.jsonl", "open.jsonl", "replaced.jsonl", "rewritten.jsonl", "touched.jsonl"}
	h.checkFileCount(8)
	h.waitFor(totals{requests: 20})
	if got := h.openedFiles("p"); !slices.Equal(got, want) {
		t.Errorf("opened %v, want %v", got, want)
	}
	h.start()
	h.Append("p/unchanged.jsonl", endedReplies("at last", 1))
	h.waitFor(totals{requests: 21})
	if got := h.openedFiles("p"); !slices.Contains(got, "unchanged.jsonl") {
		t.Errorf("opened %v, want also the file that has grown", got)
	}
	h.start() // the touched file has been read, and is not opened again
	if got, want := h.openedFiles("p"), []string{"open.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("after another restart: opened %v, want %v", got, want)
	}
}

// The labels of a source apply to a file that was not opened at the start. Its first
// line still determines its project.
func TestLabelsOfUnopenedFile(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, replies("a", 1))
	h.start()
	h.stop()
	h.settings.Sources = h.sourceWithUser
	h.start()
	h.Append(fileA, replies("b", 2))
	h.waitForSeries(totals{`claude_prompts_total{kind="text",project="a",user="me"}`: 2})
}

func (h *harness) sourceWithUser() []follow.Source {
	return []follow.Source{{Path: h.Root, Labels: map[string]string{"user": "me"}}}
}

// A start without changes writes no snapshot, but continues the journal. A later crash
// loses nothing.
func TestStartWithoutChangesWritesNoSnapshot(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, endedReplies("a", 2))
	h.start()
	h.waitFor(counts(2, 1))
	h.stop()
	before := h.snapshotTime()
	checkUnchanged := func() {
		t.Helper()
		if now := h.snapshotTime(); !now.Equal(before) {
			t.Error("a snapshot was written")
		}
	}
	h.start()
	h.waitFor(counts(2, 1))
	checkUnchanged()
	h.checkMetric("ccwatchd_checkpoint_last_success_timestamp_seconds", float64(before.UnixMilli())/1000)
	for i := range uint64(3) { // each continues after a crash of the previous one
		h.Append(fileA, endedReplies(string(rune('b'+i)), 1))
		h.waitFor(counts(3+i, 2+i))
		h.restartWithoutSaving()
		h.waitFor(counts(3+i, 2+i))
	}
	checkUnchanged()
	h.waitForAllAndRestart(h.totalsOnce())
}

// A start that reads little appends to the journal instead of writing a snapshot. A
// later crash loses nothing.
func TestCatchUpIsJournaled(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, endedReplies("a", 2))
	h.start()
	h.waitFor(counts(2, 1))
	h.stop()
	before := h.snapshotTime()
	h.Append(fileA, endedReplies("b", 1))
	h.Write("p/new.jsonl", endedReplies("c", 1))
	h.start()
	h.waitFor(counts(4, 3))
	checkEqual(t, "a snapshot was written", !h.snapshotTime().Equal(before), false)
	h.restartWithoutSaving()
	h.waitFor(counts(4, 3))
	checkEqual(t, "a snapshot was written after a crash", !h.snapshotTime().Equal(before), false)
	h.stop()
	before = h.snapshotTime()
	h.Append(fileA, strings.Repeat("x", journaledCatchUp)+"\n"+endedReplies("d", 1))
	h.start()
	h.waitFor(counts(5, 4))
	checkEqual(t, "a snapshot was written for much", !h.snapshotTime().Equal(before), true)
	h.waitForAllAndRestart(h.totalsOnce())
}

// restartWithoutSaving starts a daemon that finds the state directory as it is now.
func (h *harness) restartWithoutSaving() {
	h.Helper()
	dir := filepath.Join(h.TempDir(), "state")
	h.copyStateLocked(dir)
	written := h.snapshotTime()
	h.stop()
	h.stateDir = dir
	h.Must(os.Chtimes(snapshotPath(h, dir), written, written))
	h.start()
}

// Limits raised or lowered between two daemons apply to new values only, even after a
// crash without a new snapshot.
func TestRestartWithOtherLimits(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	limit := func(projects int) { h.settings.Ledger.Limits = map[string]int{"project": projects} }
	check := func(want totals) {
		t.Helper()
		var n uint64
		for _, v := range want {
			n += v
		}
		h.waitFor(totals{requests: n})
		got := h.totals()
		maps.DeleteFunc(got, func(series string, _ uint64) bool { return !strings.HasPrefix(series, "claude_prompts_total") })
		if d := got.diff(want); d != "" {
			t.Error(d)
		}
	}
	limit(1)
	h.Write(fileA, replies("a", 1))
	h.Write("p/b.jsonl", replies("b", 1))
	h.start()
	want := totals{prompts("a"): 1, prompts("other"): 1}
	check(want)
	checkOverflow := func(want uint64) {
		t.Helper()
		checkEqual(t, "overflow", h.totals()[`ccwatchd_label_overflow_total{label="project"}`], want)
	}
	checkOverflow(1)
	limit(2)
	h.restart()
	check(want)
	h.Write("p/c.jsonl", replies("c", 1))
	check(want.with(prompts("c"), 1))
	all := h.totals()
	h.restartWithoutSaving()
	h.waitForAll(all)
	limit(0)
	h.crash(nil, func() {
		more := &session{Name: "e", ID: "c", CWD: "/home/dev/c"}
		more.Prompt("more").Reply(reply{ID: "e", Stop: "end_turn"})
		h.Append("p/c.jsonl", more.String())
		h.Write("p/d.jsonl", replies("d", 1))
	})
	check(totals{prompts("a"): 1, prompts("other"): 2, prompts("c"): 2})
}

// repliesOfSize returns two replies with the given total size, of a session whose name
// is as long as name.
func repliesOfSize(name string, size int) string {
	for i := 0; ; i++ {
		if s := endedReplies(fmt.Sprintf("%0*d", len(name), i), 2); len(s) == size {
			return s
		}
	}
}
