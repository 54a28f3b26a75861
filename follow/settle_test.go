package follow

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/clocktest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Only the time that the machine was awake counts as time without a change, unless the
// file was quiet before the start.
func TestSleepIsNotQuiet(t *testing.T) {
	const timeout = 10 * time.Minute
	name := watcher.File{Rel: "a.jsonl"}
	type machine struct {
		clock *clocktest.Clock
		transcripttest.Dir
		*Follower
	}
	write := func(m *machine) {
		s := &transcripttest.Session{ID: "a", CWD: "/p"}
		m.Write(name.Rel, s.Reply(transcripttest.Reply{ID: "msg", In: 1, Out: 5}).String())
		m.Touch(name.Rel, m.clock.Now().Round(0))
	}
	notice := func(m *machine) { m.Update(m.Context(), watcher.Update{Dirty: []watcher.File{name}}) }
	remove := func(m *machine) {
		m.Remove(name.Rel)
		m.Update(m.Context(), watcher.Update{Tree: []watcher.FoundFile{}})
	}
	sleep := func(m *machine) { m.clock.Sleep(8 * time.Hour) }
	live := func(m *machine) { m.GoLive() }
	start := func(m *machine) {
		m.CatchUp(m.Context(), walk(m, m.Follower), timeout, func(watcher.FoundFile) {})
		m.GoLive()
	}
	for what, c := range map[string]struct {
		steps []func(*machine)
		open  bool // after the steps
	}{
		"noticed before":          {[]func(*machine){live, write, notice, sleep}, true},
		"noticed after":           {[]func(*machine){live, write, sleep, notice}, true},
		"removed before":          {[]func(*machine){live, write, notice, remove, sleep}, true},
		"before and after":        {[]func(*machine){live, write, sleep, notice, sleep}, true},
		"written before a start":  {[]func(*machine){write, start, sleep}, true},
		"written long before one": {[]func(*machine){write, sleep, start}, false},
	} {
		t.Run(what, func(t *testing.T) {
			m := &machine{clock: clocktest.New(), Dir: transcripttest.NewDir(t)}
			m.Follower = New(optionsOf(m.clock.Now), configOf(m.Root, 1<<20))
			for _, step := range c.steps {
				step(m)
			}
			check := func(when string, open bool) {
				t.Helper()
				m.FinalizeQuiet(t.Context(), timeout)
				if got := len(m.state.Ledger().AllPending()) > 0; got != open {
					t.Errorf("%s: got an open message: %v, want %v", when, got, open)
				}
			}
			check("at once", c.open)
			m.clock.Advance(timeout - time.Second)
			check("before the timeout", c.open)
			m.clock.Advance(time.Second)
			check("after the timeout", false)
		})
	}
}
