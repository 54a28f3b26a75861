package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A stepper is a world whose engine does something only when a test says so.
type stepper struct {
	*world
	e     *engine
	timer *time.Timer // never fires
}

// steps catches up and becomes ready. It can be called again, as after a restart.
func (w *world) steps() *stepper {
	w.Helper()
	s := &stepper{world: w, timer: time.NewTimer(time.Hour)}
	d := w.opened()
	s.e = newEngine(d)
	if err := s.e.catchUp(w.Context()); err != nil {
		w.Fatal(err)
	}
	d.ready.Store(true)
	return s
}

// ends ends the daemon without saving anything, as a crash does.
func (s *stepper) ends() {
	s.Helper()
	s.e.stop()
	if err := s.e.daemon.Close(); err != nil {
		s.Error(err)
	}
}

// reads has a file with one prompt of a project of its own be found and read.
func (s *stepper) reads(project string) {
	s.Helper()
	s.write("p/"+project+".jsonl", said(project, 1))
	s.eventually("the prompt of "+project, func() bool {
		if s.e.watch.pending() {
			s.e.update(s.Context(), s.e.watch.Take())
		}
		s.e.watchZero(s.timer)
		_, there := s.prompts()[project]
		return there
	})
}

// ticks lets n ticks of a zero window pass.
func (s *stepper) ticks(n int) {
	for range n {
		s.e.tickZero(s.timer)
	}
}

// prompts returns what a scrape exposes of the prompts, by project.
func (s *stepper) prompts() map[string]uint64 {
	s.Helper()
	snap, ok := s.scrapes.look(s.e.daemon)
	if !ok {
		s.Fatal("the daemon exposes nothing")
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

func (s *stepper) exposes(want map[string]uint64) {
	s.Helper()
	got := s.prompts()
	for project, v := range want {
		if n, there := got[project]; n != v || !there {
			s.Errorf("%s: got %d (exposed: %t), want %d", project, n, there, v)
		}
	}
}

// A new series is 0 for the whole window, however often and by whomever it is
// scraped, and has its value after it. Then nothing has to be done any more.
func TestZeroWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/first.jsonl", said("first", 1))
	s := w.steps()
	defer s.ends()
	s.e.watchZero(s.timer)
	s.exposes(map[string]uint64{"first": 1})
	if s.e.zero.running() {
		t.Error("it ticks though nothing is pending")
	}
	s.reads("a")
	s.ticks(3)
	s.reads("b")
	s.ticks(zeroTicks - 4)
	s.exposes(map[string]uint64{"a": 0, "b": 0})
	s.ticks(1)
	s.exposes(map[string]uint64{"a": 1, "b": 0})
	s.ticks(3)
	s.exposes(map[string]uint64{"a": 1, "b": 0}) // it came after a tick
	s.ticks(1)
	s.exposes(map[string]uint64{"first": 1, "a": 1, "b": 1})
	if s.ticks(1); s.e.zero.running() {
		t.Error("it ticks though nothing is pending any more")
	}
	s.reads("c")
	s.ticks(zeroTicks - 1)
	s.exposes(map[string]uint64{"c": 0})
	s.ticks(1)
	s.exposes(map[string]uint64{"c": 1})
}

// A series that has been exposed as 0 since the start shows at once what happens.
func TestClosedSetsAreReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.steps()
	defer s.ends()
	s.e.daemon.state.Reset(0, ledger.Truncated)
	snap, _ := s.scrapes.look(s.e.daemon)
	if got := totalsOf(&snap)[truncated]; got != 1 {
		t.Errorf("%s is %d, want 1", truncated, got)
	}
}

// The window of a series that is pending begins again with the daemon, also that of
// one that came while it was down. What was released stays, whatever happens.
func TestZeroWindowOverACrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.steps()
	s.reads("a")
	s.ticks(zeroTicks / 2)
	s.ends()
	w.write("p/b.jsonl", said("b", 1))

	s = w.steps()
	s.e.watchZero(s.timer)
	s.ticks(zeroTicks - 1)
	s.exposes(map[string]uint64{"a": 0, "b": 0})
	s.ticks(1)
	s.exposes(map[string]uint64{"a": 1, "b": 1})
	s.ends()

	s = w.steps()
	defer s.ends()
	s.exposes(map[string]uint64{"a": 1, "b": 1})
}

// A clock that is set, in either direction, and a machine that is suspended neither
// end a window nor prolong it.
func TestZeroWindowReadsNoClock(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"forward": 5000 * day, "back": -5000 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.steps()
			defer s.ends()
			s.reads("a")
			s.ticks(zeroTicks / 2)
			w.advance(jump)
			s.e.due(t.Context())
			s.e.watchZero(s.timer)
			s.ticks(zeroTicks/2 - 1)
			s.exposes(map[string]uint64{"a": 0})
			s.ticks(1)
			s.exposes(map[string]uint64{"a": 1})
		})
	}
}

// While the state cannot be written new series are not exposed, so their window
// begins when it can be.
func TestZeroWindowWhileNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.steps()
	defer s.ends()
	s.reads("a")
	s.ticks(zeroTicks - 1)
	j := new(brittle)
	j.err = os.ErrClosed
	s.e.daemon.state.SetJournal(j)
	s.e.daemon.state.Reset(0, ledger.Truncated)
	w.write("p/b.jsonl", said("b", 1))
	s.eventually("the prompt of b", func() bool {
		if s.e.watch.pending() {
			s.e.update(s.Context(), s.e.watch.Take())
		}
		return s.files() == 2
	})
	s.ticks(2 * zeroTicks)
	if got := s.prompts(); len(got) != 1 || got["a"] != 0 {
		t.Errorf("exposed is %v, want a at 0", got)
	}
	s.e.daemon.state.SetJournal(s.e.daemon.store)
	if !s.e.saver.trySave() {
		t.Fatal("the state is not saved")
	}
	s.e.watchZero(s.timer)
	s.ticks(zeroTicks - 1)
	s.exposes(map[string]uint64{"a": 0, "b": 0})
	s.ticks(1)
	s.exposes(map[string]uint64{"a": 1, "b": 1})
}

func (s *stepper) files() float64 {
	sessions, _ := s.e.daemon.state.Present()
	return float64(sessions)
}

// The window is a part of the configuration, and a reload puts it in force.
func TestReloadZeroWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	w.write("p/a.jsonl", said("a", 1))
	prompts := func() (v uint64, there bool) {
		snap, _ := w.scrapes.look(w.d)
		for _, f := range snap.Families {
			for i := range f.Samples {
				if f.Family.Name == "claude_prompts_total" {
					return f.Samples[i].Value, true
				}
			}
		}
		return 0, false
	}
	w.eventually("a new series", func() bool { _, there := prompts(); return there })
	if v, _ := prompts(); v != 0 {
		t.Errorf("it begins at %d", v)
	}
	w.settings.ZeroWindow = 20 * time.Millisecond
	w.reload()
	w.eventually("its value", func() bool { v, _ := prompts(); return v == 1 })
}

// With a short window, or none, the engine releases by itself what it finds.
func TestReleasedByTime(t *testing.T) {
	t.Parallel()
	for _, window := range []time.Duration{0, 30 * time.Millisecond} {
		w := newWorld(t)
		w.settings.ZeroWindow = window
		w.start()
		for _, session := range []string{"a", "b"} {
			w.write("p/"+session+".jsonl", said(session, 1))
			w.eventually("the prompt of "+session, func() bool {
				snap, _ := snapshot(w.d)
				return totalsOf(&snap)[`claude_prompts_total{kind="text",project="`+session+`"}`] == 1
			})
		}
	}
}

// A scrape reads: it writes nothing, and changes nothing of what the next one
// exposes.
func TestScrapesWriteNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/first.jsonl", said("first", 1)+open("first"))
	s := w.steps()
	defer s.ends()
	s.reads("a")
	size := func() (n int64) {
		files, err := os.ReadDir(w.state)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			info, err := os.Stat(filepath.Join(w.state, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			n += info.Size()
		}
		return n
	}
	written, before := size(), sortedBytes(s.e.daemon.state)
	for i := range 20 {
		w.advance(time.Duration(i) * time.Minute)
		s.exposes(map[string]uint64{"first": 1, "a": 0})
	}
	if got := size(); got != written {
		t.Errorf("the state directory has grown from %d to %d bytes", written, got)
	}
	if !slices.Equal(sortedBytes(s.e.daemon.state), before) {
		t.Error("the state has changed")
	}
}
