package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A daemon exposes nothing before it has caught up, and nothing after Close.
func TestReadyOnlyWhileRunning(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, replies("a", 2))
	check := func(when string, d *Daemon, want bool) {
		t.Helper()
		_, exposed := snapshot(d)
		checkEqual(t, when+": exposed", exposed, want)
		checkEqual(t, when+": ready", d.Ready(), want)
	}
	d := h.newDaemon()
	check("before Run", d, false)
	h.Must(d.Close())
	h.start()
	d = h.d
	check("while running", d, true)
	h.stop()
	check("after Close", d, false)
}

// The best record of a message counts, whichever file present at the start has it. The
// message belongs to the file with its first record.
func TestBestRecordAtStart(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	open := (&session{ID: "a", CWD: "/home/dev/a"}).Reply(reply{ID: "m", In: 9, Out: 1}).Prompt("go on")
	better := (&session{Name: "side", ID: "a", CWD: "/home/dev/a", Side: true}).
		Reply(reply{ID: "m", In: 5, Out: 100, Stop: "tool_use"})
	h.Write(fileA, open.String())
	h.Write("p/a/subagents/agent-acompact-1.jsonl", better.String())
	h.start()
	want := totals{
		`claude_requests_total{stop_reason="tool_use"}`: 1, `claude_requests_total{stop_reason="none"}`: 0, input: 5, output: 100,
	}
	got := h.totals("project", "agent", "model")
	for series, want := range want {
		checkEqual(t, series, got[series], want)
	}
	const ofSubagent = `claude_requests_total{model="opus",project="a",agent="compact",stop_reason="tool_use"}`
	if _, ok := h.totals()[ofSubagent]; ok {
		t.Errorf("there is %s", ofSubagent)
	}
}

func TestSummaryAndProgress(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, (&session{ID: "a", CWD: "/p"}).Prompt("hello").Prompt("again").String())
	h.Write(fileB, replies("b", 1))
	h.start()
	last := time.Date(2026, 3, 1, 10, 0, 2, 0, time.UTC)
	if got := h.d.Summary(); got.Files != 2 || got.Sessions != 2 || !got.LastActivity.Equal(last) {
		t.Errorf("Summary: got %+v, want 2 files, 2 sessions, %v", got, last)
	}
	size := h.Stat(fileA).Size() + h.Stat(fileB).Size()
	if got := h.d.Progress(); got.Files != 2 || got.FilesTotal != 2 || got.Bytes != size || got.BytesTotal != size {
		t.Errorf("Progress: got %+v, want 2 files and %d bytes, and as many in total", got, size)
	}
}

// An active session is exposed with its id, also after a restart or a crash, until it
// has been inactive for a while.
func TestActiveSession(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	now := time.Now().UTC()
	h.Write("p/the-session.jsonl", `{"type":"assistant","sessionId":"the-session","cwd":"/home/dev/app","uuid":"u","timestamp":"`+
		now.Format("2006-01-02T15:04:05.000Z")+`","message":{"id":"m","model":"opus","content":[],"stop_reason":"end_turn",`+
		`"usage":{"input_tokens":3,"output_tokens":1,"cache_read_input_tokens":40}}}`+"\n")
	want := ledger.Session{ID: "the-session", Project: "app", Model: "opus", Context: 43, Last: now.UnixMilli()}
	check := func(when string) {
		t.Helper()
		if got := h.scrape().Live; len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %+v, want %+v", when, got, want)
		}
	}
	h.start()
	check("first start")
	h.restart()
	check("after a restart")
	h.crash(nil, func() {})
	check("after a crash")
	h.advance(time.Hour)
	if got := h.scrape().Live; len(got) != 0 {
		t.Errorf("an hour later: got %+v, want none", got)
	}
}

// New returns an error for bad settings or a bad state directory, and leaves the
// directory unlocked.
func TestNewFails(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.loadErr = errors.New("bad settings")
	if _, err := New(h.options()); !errors.Is(err, h.loadErr) {
		t.Errorf("New: got %v, want %v", err, h.loadErr)
	}
	h.loadErr = nil
	file := filepath.Join(t.TempDir(), "file")
	h.Must(os.WriteFile(file, nil, 0o600))
	o := h.options()
	o.StateDir = filepath.Join(file, "state")
	if _, err := New(o); err == nil {
		t.Error("New: got no error for a state directory in a file")
	}
	h.start()
}

// Alive is called while the engine is idle, but not while it hangs.
func TestAlive(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var calls, callsWhenReady atomic.Int64
	h.onAlive = func() {
		calls.Add(1)
		if d := h.current.Load(); d != nil && d.Ready() {
			callsWhenReady.Add(1)
		}
	}
	h.startWithReplies(1)
	h.waitUntil("Alive is called without work", func() bool { return callsWhenReady.Load() > 5 })

	stopped := false
	whileLocked(h.d.state, func() {
		h.Append(fileA, replies("b", 1))
		last, since := calls.Load(), time.Now()
		stopped = polltest.Poll(time.Millisecond, func() bool { // no call for many ticks
			if now := calls.Load(); now != last {
				last, since = now, time.Now()
			}
			return time.Since(since) > 20*h.d.tick
		})
	})
	if !stopped {
		t.Error("Alive is called while the engine hangs")
	}
	before := calls.Load()
	h.waitUntil("Alive is called again", func() bool { return calls.Load() > before })
	h.waitFor(counts(2, 2))
}

// Alive is called several times while a long file is read.
func TestAliveWithinFile(t *testing.T) {
	runCases(t, map[string]int64{"short": 1, "long": 20_000}, func(h *harness, n int64) {
		h.Write(fileA, replies("a", int(n)))
		var calls atomic.Int64
		h.onAlive = func() {
			if d := h.current.Load(); d == nil || !d.Ready() {
				calls.Add(1)
			}
		}
		h.start()
		if got, want := calls.Load(), max(1, n/1000); got < want {
			h.Errorf("got %d calls of Alive, want at least %d", got, want)
		}
	})
}

// A daemon leaves no goroutine and no descriptor, even if it is stopped during the
// catch-up.
func TestNoLeaks(t *testing.T) {
	h := startWithReplies(t, 2)
	h.stop()
	goroutines, descriptors := goleak.IgnoreCurrent(), leaktest.Descriptors(t)
	for i := range 20 {
		h.startAsync()
		if i%2 == 0 {
			h.Append(fileA, replies(fmt.Sprint(i), 1))
			h.waitFor(totals{requests: uint64(3 + i/2)})
		}
		if i%4 == 0 {
			h.reload()
		}
		h.stop()
	}
	goleak.VerifyNone(t, goroutines)
	checkEqual(t, "descriptors", leaktest.Descriptors(t), descriptors)
}

// Only the user can read the state directory, and only one daemon can use it.
func TestStateDirectoryIsPrivateAndLocked(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.stateDir = filepath.Join(t.TempDir(), "new", "state")
	h.startWithReplies(1)
	names := transcripttest.ReadTree(t, h.stateDir)
	names[""] = ""
	for name := range names {
		info, err := os.Stat(filepath.Join(h.stateDir, name))
		h.Must(err)
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q has mode %v", name, info.Mode())
		}
	}
	_, err := New(h.options())
	if locked := (*checkpoint.LockedError)(nil); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second daemon: got %v, want *checkpoint.LockedError with pid %d", err, os.Getpid())
	}
}
