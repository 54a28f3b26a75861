package daemon

import (
	"bytes"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A steppedDaemon works only when a test calls its methods.
type steppedDaemon struct {
	*harness
	engine *engine
	timer  *time.Timer // never fires
}

// startStepped returns a daemon that has caught up. It can be called again after a
// crash.
func (h *harness) startStepped() *steppedDaemon {
	h.Helper()
	d := h.newDaemon()
	e := newEngine(d)
	h.Must(e.catchUp(h.Context()))
	d.ready.Store(true)
	return &steppedDaemon{harness: h, engine: e, timer: time.NewTimer(time.Hour)}
}

// end ends the daemon without saving, as a crash would.
func (s *steppedDaemon) end() {
	s.Helper()
	s.engine.stop()
	s.Must(s.engine.daemon.Close())
}

// read reads what the watcher has found.
func (s *steppedDaemon) read() {
	if s.engine.watch.pending() {
		s.engine.update(s.Context(), s.engine.watch.Take())
	}
}

// readPrompt writes a prompt in a new project, and waits until its series is exposed.
func (s *steppedDaemon) readPrompt(project string) {
	s.Helper()
	s.Write("p/"+project+".jsonl", replies(project, 1))
	s.waitUntil("the prompt is exposed", func() bool {
		s.read()
		s.engine.watchZero(s.timer)
		_, exposed := promptsByProject(s.harness, s.engine.daemon)[project]
		return exposed
	})
}

// tick lets n ticks of the zero window pass.
func (s *steppedDaemon) tick(n int) {
	for range n {
		s.engine.tickZero(s.timer)
	}
}

// promptsByProject scrapes the prompts of a daemon.
func promptsByProject(h *harness, d *Daemon) map[string]uint64 {
	h.Helper()
	snap, ok := h.scraper.scrape(d)
	if !ok {
		h.Fatal("the daemon exposes nothing")
	}
	all := make(map[string]uint64)
	for _, f := range snap.Families {
		for i := range f.Samples {
			if f.Family.Name == "claude_prompts_total" {
				all[f.Samples[i].Labels[1]] = f.Samples[i].Value
			}
		}
	}
	return all
}

// check checks the prompts that a scrape exposes, by project.
func (s *steppedDaemon) check(want map[string]uint64) {
	s.Helper()
	if got := promptsByProject(s.harness, s.engine.daemon); !maps.Equal(got, want) {
		s.Errorf("got the prompts %v, want %v", got, want)
	}
}

// A new series is 0 for the whole zero window, however often it is scraped, and has its
// value afterwards. While no series is pending there are no ticks.
func TestZeroWindow(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write("p/first.jsonl", replies("first", 1))
	s := h.startStepped()
	defer s.end()
	s.engine.watchZero(s.timer)
	s.check(map[string]uint64{"first": 1})
	if s.engine.zero.running() {
		t.Error("there are ticks before any series is pending")
	}
	s.readPrompt("a")
	s.tick(3)
	s.readPrompt("b")
	s.tick(zeroTicks - 4)
	s.check(map[string]uint64{"first": 1, "a": 0, "b": 0})
	s.tick(1)
	s.check(map[string]uint64{"first": 1, "a": 1, "b": 0})
	s.tick(3)
	s.check(map[string]uint64{"first": 1, "a": 1, "b": 0}) // b was created after a tick
	s.tick(1)
	s.check(map[string]uint64{"first": 1, "a": 1, "b": 1})
	if s.tick(1); s.engine.zero.running() {
		t.Error("there are ticks after the last series was released")
	}
	s.readPrompt("c")
	s.tick(zeroTicks - 1)
	s.check(map[string]uint64{"first": 1, "a": 1, "b": 1, "c": 0})
	s.tick(1)
	s.check(map[string]uint64{"first": 1, "a": 1, "b": 1, "c": 1})
}

// A series that has been 0 since the start is not held back.
func TestZeroWindowOfKnownSeries(t *testing.T) {
	t.Parallel()
	s := newHarness(t).startStepped()
	defer s.end()
	s.engine.daemon.state.Change(func(l *ledger.Ledger, now int64) { l.Reset(0, ledger.Truncated, now) })
	snap, _ := s.scraper.scrape(s.engine.daemon)
	checkEqual(t, truncated, totalsOf(&snap)[truncated], 1)
}

// After a crash, series counted before the crash have their values at once, and the
// zero window of newly counted series begins.
func TestZeroWindowAfterCrash(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	s := h.startStepped()
	s.readPrompt("a")
	s.tick(zeroTicks / 2)
	s.end()
	h.Write(fileB, replies("b", 1))

	s = h.startStepped()
	s.engine.watchZero(s.timer)
	s.tick(zeroTicks - 1)
	s.check(map[string]uint64{"a": 1, "b": 0})
	s.tick(1)
	s.check(map[string]uint64{"a": 1, "b": 1})
	s.end()

	s = h.startStepped()
	defer s.end()
	s.check(map[string]uint64{"a": 1, "b": 1})
}

// Neither a clock that is set nor a suspended machine changes the zero window.
func TestZeroWindowIgnoresClock(t *testing.T) {
	runCases(t, map[string]time.Duration{"forward": 5000 * day, "back": -5000 * day}, func(h *harness, jump time.Duration) {
		s := h.startStepped()
		defer s.end()
		s.readPrompt("a")
		s.tick(zeroTicks / 2)
		h.advance(jump)
		s.engine.periodic(h.Context())
		s.engine.watchZero(s.timer)
		s.tick(zeroTicks/2 - 1)
		s.check(map[string]uint64{"a": 0})
		s.tick(1)
		s.check(map[string]uint64{"a": 1})
	})
}

// While the journal fails, new series are not exposed. Their zero window begins when
// the state is saved.
func TestZeroWindowWhileJournalFails(t *testing.T) {
	t.Parallel()
	s := newHarness(t).startStepped()
	defer s.end()
	state := s.engine.daemon.state
	s.readPrompt("a")
	s.tick(zeroTicks - 1)
	state.SetJournal(failingJournal{})
	state.Change(func(l *ledger.Ledger, now int64) { l.Reset(0, ledger.Truncated, now) })
	s.Write(fileB, replies("b", 1))
	s.waitUntil("b is read", func() bool {
		s.read()
		sessions, _ := s.engine.daemon.known.Present()
		return sessions == 2
	})
	s.tick(2 * zeroTicks)
	s.check(map[string]uint64{"a": 0})
	state.SetJournal(s.engine.daemon.store)
	if !s.engine.saver.trySave() {
		t.Fatal("the state is not saved")
	}
	s.engine.watchZero(s.timer)
	s.tick(zeroTicks - 1)
	s.check(map[string]uint64{"a": 0, "b": 0})
	s.tick(1)
	s.check(map[string]uint64{"a": 1, "b": 1})
}

type failingJournal struct{}

func (failingJournal) Append([]byte) error { return os.ErrClosed }

// A reload applies another zero window.
func TestReloadZeroWindow(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.start()
	h.Write(fileA, replies("a", 1))
	h.waitUntil("a new series is exposed", func() bool { return len(promptsByProject(h, h.d)) > 0 })
	checkEqual(t, "the new series", promptsByProject(h, h.d)["a"], 0)
	h.settings.ZeroWindow = 20 * time.Millisecond
	h.reload()
	h.waitUntil("the series has its value", func() bool { return promptsByProject(h, h.d)["a"] == 1 })
}

// With a short zero window, or none, the engine releases series in time.
func TestShortZeroWindow(t *testing.T) {
	t.Parallel()
	for _, window := range []time.Duration{0, 30 * time.Millisecond} {
		h := newHarness(t)
		h.settings.ZeroWindow = window
		h.start()
		for _, session := range []string{"a", "b"} {
			h.Write("p/"+session+".jsonl", replies(session, 1))
			h.waitUntil("the prompt is exposed", func() bool {
				snap, _ := snapshot(h.d)
				return totalsOf(&snap)[prompts(session)] == 1
			})
		}
	}
}

// A scrape writes nothing, and does not change the state.
func TestScrapesChangeNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write("p/first.jsonl", replies("first", 1)+openReply("first"))
	s := h.startStepped()
	defer s.end()
	s.readPrompt("a")
	state := s.engine.daemon.state
	files, before := transcripttest.ReadTree(t, h.stateDir), sortedBytes(encoded(state))
	for i := range 20 {
		h.advance(time.Duration(i) * time.Minute)
		s.check(map[string]uint64{"first": 1, "a": 0})
	}
	if !maps.Equal(transcripttest.ReadTree(t, h.stateDir), files) {
		t.Error("the state directory has changed")
	}
	if !bytes.Equal(sortedBytes(encoded(state)), before) {
		t.Error("the state has changed")
	}
}
