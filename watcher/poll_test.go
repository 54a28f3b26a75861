package watcher

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestPolling(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := polling(dir)
	log := logged(&o)
	scans := 0
	o.OnScan = func(took time.Duration) {
		if took <= 0 {
			t.Errorf("a walk took %v", took)
		}
		scans++
	}
	c := run(t, New(o))
	write(t, dir, "p/q/b.log")
	c.sees("0:p/a.log", "0:p/q/b.log")
	write(t, dir, "p/a.log")
	c.until("its growth", func() bool { return c.last.Tree[0].Info.Size() == 10 })
	remove(t, dir, "p/q")
	c.sees("0:p/a.log")
	if len(c.dirty) > 0 {
		t.Errorf("there were events: %v", c.dirty)
	}
	c.stop()
	if s := c.w.Stats(); !s.Polling || s.Watched != 0 || s.Events != 0 || s.Scans != uint64(scans) {
		t.Errorf("got %+v and %d calls", s, scans)
	}
	if n := log.count("level=WARN"); n != 0 {
		t.Errorf("%d warnings about what was asked for", n)
	}
}

// Past the budget everything is polled, until it is enough again.
func TestBudget(t *testing.T) {
	needsEvents(t)
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := options(dir)
	o.MaxWatches, o.PollInterval, o.ScanInterval = 4, time.Millisecond, 2*time.Millisecond
	log := logged(&o)
	w := New(o)
	opened := 0
	w.newFSNotify = func() (*fsnotify.Watcher, error) {
		opened++
		return fsnotify.NewWatcher()
	}
	c := run(t, w)
	if s := c.w.Stats(); s.Polling || s.Watched != 2 {
		t.Errorf("within the budget: %+v", s)
	}
	for i := range 4 {
		write(t, dir, fmt.Sprint(i), "b.log")
	}
	all := []string{"0:0/b.log", "0:1/b.log", "0:2/b.log", "0:3/b.log", "0:p/a.log"}
	c.sees(all...)
	c.until("polling", func() bool { return c.w.Stats().Polling })
	if s := c.w.Stats(); s.Watched != 0 {
		t.Errorf("past the budget: %+v", s)
	}
	for range 5 {
		c.rescan()
	}
	write(t, dir, "p/c.log")
	c.sees(append(slices.Clone(all), "0:p/c.log")...)
	if n := log.count("level=WARN"); n != 1 {
		t.Errorf("%d warnings, want one", n)
	}

	remove(t, dir, "0")
	remove(t, dir, "1")
	c.until("events", func() bool { return !c.w.Stats().Polling })
	write(t, dir, "p/d.log")
	c.reported("0:p/d.log")
	if n := log.count("File events available again"); n != 1 {
		t.Errorf("their return was logged %d times, want once", n)
	}
	c.stop()
	if opened < 2 || opened > 3 { // what is over the budget is either made out by a walk, or by an event and then by a walk
		t.Errorf("events were tried %d times, want at the start, when there were few directories again, and not at every poll", opened)
	}
}

// A system that grants no watches is asked again later.
func TestRefusedWatcher(t *testing.T) {
	needsEvents(t)
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := options(dir)
	o.PollInterval, o.ScanInterval = time.Millisecond, 2*time.Millisecond
	log := logged(&o)
	w := New(o)
	refusals := 3
	w.newFSNotify = func() (*fsnotify.Watcher, error) {
		if refusals--; refusals >= 0 {
			return nil, syscall.EMFILE
		}
		return fsnotify.NewWatcher()
	}
	c := run(t, w)
	c.sees("0:p/a.log")
	c.until("events", func() bool { return c.w.Stats().Watched == 2 && !c.w.Stats().Polling })
	if n := log.count("polling instead"); n != 1 || refusals != -1 {
		t.Errorf("%d warnings after %d refusals, want one after three", n, 3-max(refusals, 0))
	}
	write(t, dir, "p/b.log")
	c.reported("0:p/b.log")
}

func TestPause(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		name   string
		events bool
		took   []time.Duration
		want   time.Duration
	}{
		{"before the first walk", true, nil, 30 * time.Second},
		{"after the first walk", true, []time.Duration{time.Minute}, 30 * time.Second},
		{"events", true, []time.Duration{ms, ms}, 30 * time.Second},
		{"events and many files", true, []time.Duration{time.Minute, 40 * ms}, time.Minute},
		{"events and a slow disk", true, []time.Duration{time.Minute, time.Minute}, 5 * time.Minute},
		{"polling after the first walk", false, []time.Duration{time.Second}, time.Second},
		{"polling", false, []time.Duration{ms, ms}, time.Second},
		{"polling many files", false, []time.Duration{time.Second, 13 * ms}, 2600 * ms},
		{"polling a slow disk", false, []time.Duration{time.Second, time.Second}, 30 * time.Second},
		{"polling, and once it took long", false, []time.Duration{13 * ms, 12 * ms, time.Second}, 2400 * ms},
		{"events, and the first took long", true, []time.Duration{time.Second, 60 * ms, 80 * ms}, 90 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := New(Options{})
			w.durations = tc.took
			if tc.events {
				w.notifier = &notifier{}
			}
			if got := w.pause(); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// Only the last three walks tell how long one takes.
func TestUsual(t *testing.T) {
	w := New(options(t.TempDir()))
	w.durations = []time.Duration{1, 2, 3}
	for range 2 {
		w.scan(t.Context())
	}
	t.Cleanup(w.closeNotifier)
	if got := w.walkTime(); got != 3 || len(w.durations) != 3 {
		t.Errorf("got %v of %v, want 3ns", got, w.durations)
	}
}

func TestEventsFor(t *testing.T) {
	for goos, want := range map[string]bool{"linux": true, "windows": true, "android": true, "darwin": false, "freebsd": false, "openbsd": false, "solaris": false} {
		if got := hasDirectoryEvents(goos); got != want {
			t.Errorf("%s: got %v", goos, got)
		}
	}
}
