package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Files that are created while a daemon starts do not wait for the next scan.
func TestFilesCreatedDuringStart(t *testing.T) {
	t.Parallel()
	for i := range 2 {
		h := newHarness(t)
		h.settings.Scan = time.Hour
		for j := range 200 { // so that the scan takes a while
			h.Write(fmt.Sprintf("p%d/a.jsonl", j), "")
		}
		h.startAsync()
		for j := range 200 {
			h.Write(fmt.Sprintf("p%d/b.jsonl", j), replies(fmt.Sprint(i, j), 1))
		}
		h.waitFor(counts(200, 200))
		h.stop()
	}
}

// A file missed by the first scan is read because of its event.
func TestFileMissedByFirstScan(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.start()
	h.stop()
	h.Write(fileA, replies("a", 2))
	e := h.newEngine()
	e.readAll(t.Context(), watcher.Update{
		Tree: []watcher.FoundFile{}, Dirty: []watcher.File{{Rel: filepath.Join("p", "a.jsonl")}},
	}, nil)
	s := e.daemon.state
	s.Change(func(l *ledger.Ledger, _ int64) { l.Settle() })
	s.Release(s.Pending())
	checkEqual(t, "requests", stateTotals(s, summedLabels...)[requests], 2)
}

// A hookLabeller calls a function for the first line with a directory in each file.
type hookLabeller struct {
	transcripttest.Labeller
	hook func(cwd string)
}

func (l hookLabeller) Project(cwd string) string {
	l.hook(cwd)
	return l.Labeller.Project(cwd)
}

// A commandHook calls a function for each slash command.
type commandHook struct {
	transcripttest.Labeller
	hook func()
}

func (l commandHook) Command(name string) string {
	l.hook()
	return l.Labeller.Command(name)
}

// commanded returns a session with one slash command.
func commanded(id string) string {
	s := &session{ID: id, Name: id, CWD: "/home/dev/" + id}
	return s.Prompt("<command-name>/x</command-name>").String()
}

// A file that is rewritten between reading it and taking its fingerprint is read again.
func TestFileRewrittenWhileRead(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var once sync.Once
	h.settings.Labeller = hookLabeller{hook: func(string) {
		once.Do(func() {
			f, err := os.OpenFile(h.Path(fileA), os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(replies("b", 3)) // as long
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}}
	h.Write(fileA, replies("a", 3))
	h.start()
	h.waitFor(counts(6, 2))
}

// A file that grows whenever it is read does not delay the end of the catch-up.
func TestCatchUpEnds(t *testing.T) {
	const enough = 20
	h := newHarness(t)
	h.settings.Scan = time.Hour
	var e *engine
	writes := 0
	h.settings.Labeller = commandHook{hook: func() {
		if writes++; writes > enough {
			return
		}
		h.Append(fileA, commanded(fmt.Sprint(writes)))
		h.waitUntil("the watcher has an update", func() bool { return len(e.watch.Wake()) > 0 })
	}}
	h.Write(fileA, commanded("a"))
	e = h.newEngine()
	h.Must(e.catchUp(t.Context()))
	if writes == 0 || writes >= enough {
		t.Errorf("the catch-up took %d rounds", writes)
	}
}

// A file that grows whenever one of its lines is read is read up to its size at the
// beginning of its turn. Then the other files have their turn.
func TestFileGrowsFasterThanItIsRead(t *testing.T) {
	h := newHarness(t)
	first := commanded("fast0")
	h.Write("p/0-fast.jsonl", first)
	h.Write("p/1-slow.jsonl", replies("slow", 2))
	grown, reads := int64(len(first)), 0
	h.settings.Labeller = commandHook{hook: func() {
		reads++
		more := commanded(fmt.Sprint("fast", reads))
		h.Append("p/0-fast.jsonl", more)
		grown += int64(len(more))
	}}
	e := h.newEngine()
	s := e.daemon.state
	fast := watcher.File{Rel: filepath.Join("p", "0-fast.jsonl")}
	slow := watcher.File{Rel: filepath.Join("p", "1-slow.jsonl")}
	for turn := 1; turn <= 5; turn++ {
		before := grown
		e.update(t.Context(), watcher.Update{Dirty: []watcher.File{fast, slow}})
		checkEqual(t, "reads", reads, turn)
		for file, want := range map[watcher.File]int64{fast: before, slow: h.Stat("p/1-slow.jsonl").Size()} {
			checkEqual(t, fmt.Sprintf("offset in %s at turn %d", file.Rel, turn), h.offset(s, file.Rel), want)
		}
	}
	e.follower.FinalizeAll()
	checkEqual(t, "sessions", stateTotals(s, summedLabels...)[sessions], 5+1)
}

// A catch-up that is stopped continues at the next start.
func TestStoppedDuringCatchUp(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	transcripttest.Generate(7, transcripttest.Options{Copies: true, Size: 8}).Write(t, h.Root)
	for range 5 {
		h.startAsync()
		h.waitUntil("a file has been read", func() bool { return h.d.Progress().Files > 0 || h.d.Ready() })
		h.stop()
	}
	h.start()
	h.expireMessageTimeout()
	h.waitForAllAndRestart(h.totalsOnce(orderDependent...), orderDependent...)
}

// The counters are not exposed before they have been saved.
func TestNotReadyBeforeSaved(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.beforeRun = func(*Daemon) { h.blockJournal(1) }
	h.Write(fileA, replies("a", 1))
	h.startAsync()
	h.waitUntil("two saves have failed", func() bool { return h.metric(saveFailures) > 1 })
	if h.d.Ready() {
		t.Error("the daemon is ready, but has saved nothing")
	}
	h.unblockJournal(1)
	h.waitFor(counts(1, 1))
}

// An endless line, in a file as large as a file system allows, delays neither the start
// nor other files. Its unread bytes are exposed.
func TestEndlessLine(t *testing.T) {
	const size = 1 << 42
	h := newHarness(t)
	h.settings.Scan = time.Hour // each scan searches a bit more of the line
	h.Write(fileA, replies("a", 2))
	h.WriteSparse("p/0.jsonl", size, "")
	h.WriteSparse("p/z.jsonl", size, "")
	h.checkHeapGrowth(8<<20, func() {
		h.start()
		h.waitFor(counts(2, 1))
		h.Append(fileA, replies("b", 1))
		h.Write(fileB, replies("c", 1))
		read := len(replies("a", 2) + replies("b", 1) + replies("c", 1))
		h.waitFor(counts(4, 3).with(readBytes, uint64(read)))
		h.waitForMetric(backlog, 2*size)
	})
	h.restart()
	h.waitFor(counts(4, 3))
}
