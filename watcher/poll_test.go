package watcher

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestPolling(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := pollOptions(dir)
	log := captureLog(&o)
	scans := uint64(0)
	o.OnScan = func(took time.Duration) {
		if took <= 0 {
			t.Errorf("got duration %v of a walk, want a positive one", took)
		}
		scans++
	}
	c := start(t, New(o))
	write(t, dir, "p/q/b.log")
	c.waitForTree("0:p/a.log", "0:p/q/b.log")
	write(t, dir, "p/a.log")
	c.waitFor("a larger file", func() bool { return c.last.Tree[0].Info.Size() == 10 })
	remove(t, dir, "p/q")
	c.waitForTree("0:p/a.log")
	c.stop()
	c.checkStats(Stats{Polling: true, Scans: scans})
	log.checkCount(t, "level=WARN", 0)
}

// The walk that exceeds the limit of watches is followed by another walk, so nothing is
// checked before.
func TestNoChecksWithoutWalk(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprint(i), "a.log")
	}
	o := eventOptions(dir)
	o.MaxWatches = 4
	c := scanOnce(t, o)
	c.w.pollers[0].check(t.Context())
	if c.take(); len(c.dirty) > 0 {
		t.Errorf("got dirty files %v, want none", c.dirty)
	}
	c.w.scan(t.Context())
	write(t, dir, "7/a.log")
	c.w.pollers[0].check(t.Context())
	if c.take(); len(c.dirty) != 1 {
		t.Errorf("got dirty files %v, want one", c.dirty)
	}
}

// Beyond the budget of watches the watcher polls, until the budget suffices again.
func TestBudget(t *testing.T) {
	requireEvents(t)
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := fastOptions(dir)
	o.MaxWatches = 4
	log := captureLog(&o)
	w := New(o)
	opened := 0
	w.newFSNotify = func() (*fsnotify.Watcher, error) {
		opened++
		return fsnotify.NewWatcher()
	}
	c := start(t, w)
	if s := w.Stats(); s.Polling || s.Watched != 2 {
		t.Errorf("within the budget: got %+v, want events and 2 watches", s)
	}
	for i := range 4 {
		write(t, dir, fmt.Sprint(i), "b.log")
	}
	c.waitForTree("0:0/b.log", "0:1/b.log", "0:2/b.log", "0:3/b.log", "0:p/a.log")
	c.waitFor("polling", func() bool { return w.Stats().Polling })
	if s := w.Stats(); s.Watched != 0 {
		t.Errorf("beyond the budget: got %d watches, want 0", s.Watched)
	}
	for range 5 {
		c.rescan()
	}
	write(t, dir, "p/c.log")
	c.waitForTree("0:0/b.log", "0:1/b.log", "0:2/b.log", "0:3/b.log", "0:p/a.log", "0:p/c.log")
	log.checkCount(t, "level=WARN", 1)

	remove(t, dir, "0")
	remove(t, dir, "1")
	c.waitFor("events", func() bool { return !w.Stats().Polling })
	write(t, dir, "p/d.log")
	c.waitForDirty("0:p/d.log")
	log.checkCount(t, "File events available again", 1)
	c.stop()
	// At the start and at the end. If an event exceeds the budget, the walk after it tries
	// again.
	if opened < 2 || opened > 3 {
		t.Errorf("opened events %d times, want 2 or 3", opened)
	}
}

// If the system refuses watches, the watcher polls and tries again later.
func TestRefusedWatcher(t *testing.T) {
	requireEvents(t)
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := fastOptions(dir)
	log := captureLog(&o)
	w := New(o)
	calls := 0
	w.newFSNotify = func() (*fsnotify.Watcher, error) {
		if calls++; calls <= 3 {
			return nil, syscall.EMFILE
		}
		return fsnotify.NewWatcher()
	}
	c := start(t, w)
	c.waitForTree("0:p/a.log")
	c.waitFor("events", func() bool { return w.Stats().Watched == 2 && !w.Stats().Polling })
	log.checkCount(t, "polling instead", 1)
	write(t, dir, "p/b.log")
	c.waitForDirty("0:p/b.log")
	if c.stop(); calls != 4 {
		t.Errorf("opened events %d times, want 4", calls)
	}
}

// If a walk exceeds the budget of watches, the poller also knows the directories that
// were read before.
func TestPollingAfterRefusedWatch(t *testing.T) {
	requireEvents(t)
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := eventOptions(dir)
	o.MaxWatches, o.PollInterval = 1, time.Millisecond
	c := start(t, New(o))
	c.waitFor("polling", func() bool { return c.w.Stats().Scans > 1 })
	write(t, dir, "b.log")
	write(t, dir, "p/a.log")
	c.waitForDirty("0:b.log", "0:p/a.log")
}

// Other machines write to network file systems without events here, so these are
// polled.
func TestRemoteRoot(t *testing.T) {
	local, remote := t.TempDir(), t.TempDir()
	o := eventOptions(local, remote)
	o.PollInterval = time.Millisecond
	log := captureLog(&o)
	w := New(o)
	if w.isRemote(local) {
		t.Skip("the temporary directory is on a network file system")
	}
	w.isRemote = func(dir string) bool { return filepath.Base(dir) == filepath.Base(remote) }
	c := start(t, w)
	write(t, remote, "a.log")
	c.waitForDirty("1:a.log")
	if s := w.Stats(); !s.Polling || s.Events > 0 || s.Watched > 0 {
		t.Errorf("got %+v, want polling without any event", s)
	}
	log.checkCount(t, "polling instead", 1)
}

// The pause depends on the size of the tree and on the shortest of the last three
// walks, within limits. A small walk that takes two seconds on a busy machine does not
// extend it.
func TestPause(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		name  string
		took  []time.Duration
		files int
		want  time.Duration
	}{
		{"before the first walk", nil, 0, 30 * time.Second},
		{"after the first walk", []time.Duration{time.Minute}, 5000, 30 * time.Second},
		{"fast", []time.Duration{ms, ms}, 5000, 30 * time.Second},
		{"busy machine", []time.Duration{2 * time.Second, 2 * time.Second}, 5000, 30 * time.Second},
		{"many files", []time.Duration{time.Minute, 60 * ms}, 14_000, time.Minute},
		{"too many files", []time.Duration{ms, ms}, 1_000_000, 5 * time.Minute},
		{"slow disk", []time.Duration{time.Minute, time.Minute}, 5000, 5 * time.Minute},
		{"one slow walk", []time.Duration{time.Minute, 6 * time.Second, 8 * time.Second}, 5000, time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := New(Options{})
			w.durations, w.dirCount, w.fileCount = tc.took, 1000, tc.files
			if got := w.pause(); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// A slow file system makes checks rarer.
func TestPollPause(t *testing.T) {
	p := newPoller(Options{}.withDefaults(), nil)
	for took, want := range map[time.Duration]time.Duration{0: time.Second, time.Second / 10: time.Second, time.Second: 10 * time.Second} {
		if got := p.pause(took); got != want {
			t.Errorf("after %v: got %v, want %v", took, got, want)
		}
	}
}

func TestWalkTimeUsesLastThreeWalks(t *testing.T) {
	w := New(eventOptions(t.TempDir()))
	t.Cleanup(w.closeNotifier)
	w.durations = []time.Duration{1, 2, 3}
	for range 2 {
		w.scan(t.Context())
	}
	if got := w.walkTime(); got != 3 || len(w.durations) != 3 {
		t.Errorf("got %v of %v, want 3ns of three", got, w.durations)
	}
}

func TestHasDirectoryEvents(t *testing.T) {
	for goos, want := range map[string]bool{
		"linux": true, "windows": true, "android": true,
		"darwin": false, "freebsd": false, "openbsd": false, "solaris": false,
	} {
		if got := hasDirectoryEvents(goos); got != want {
			t.Errorf("hasDirectoryEvents(%s) = %v, want %v", goos, got, want)
		}
	}
}
