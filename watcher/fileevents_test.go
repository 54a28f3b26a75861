package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// The events of single files report a change between checks.
func TestFileEvents(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	o := eventOptions(dir)
	o.MaxWatches, o.MaxFileWatches = -1, 20
	c := start(t, New(o))
	polltest.Eventually(t, "the file is watched", func() bool { return c.w.Stats().Files == 1 })
	write(t, dir, "p/a.log")
	c.waitForDirty("0:p/a.log")
	if s := c.w.Stats(); s.Scans != 1 || !s.Polling || s.Events == 0 {
		t.Errorf("got %+v, want an event and one walk", s)
	}
}

// Watches of single files follow the files that changed last, and none remains of files
// that were renamed, removed or replaced.
func TestFileWatchesDoNotLeak(t *testing.T) {
	const budget, files = 20, 80
	dir := t.TempDir()
	before := leaktest.Descriptors(t)
	p := newPolled(t, dir, 0)
	p.watchFiles(budget)
	opened := leaktest.Descriptors(t)
	name := func(i int) string { return fmt.Sprintf("%d/%d.log", i%3, i) }
	for i := range 3 {
		mkdir(t, dir, fmt.Sprint(i))
	}
	for round := range 20 {
		for i := range files {
			switch (round + i) % 4 {
			case 0:
				write(t, dir, name(i))
			case 1:
				remove(t, dir, name(i))
			case 2:
				write(t, dir, "new")
				rename(t, dir, "new", name(i))
			case 3:
				write(t, dir, name(i))
				rename(t, dir, name(i), name((i+1)%files))
			}
		}
		p.after(dirCheck)
		if n := len(p.p.hot); n <= budget {
			t.Fatalf("got %d hot files, want more than %d", n, budget)
		}
		polltest.Eventually(t, "the watches follow the files", func() bool {
			p.checkNow()
			return p.watchesHottest(budget)
		})
	}
	if n := leaktest.Descriptors(t); n != opened {
		t.Errorf("got %d descriptors, want %d as at the start", n, opened)
	}
	p.w.stopPolling()
	if n := leaktest.Descriptors(t); n != before {
		t.Errorf("got %d descriptors at the end, want %d", n, before)
	}
}

// watchFiles opens the events of single files.
func (p *polled) watchFiles(budget int) {
	p.w.o.MaxFileWatches = budget
	p.p.events = p.w.openFileEvents()
}

// watchesHottest reports whether exactly the hottest files are watched, at their
// present names.
func (p *polled) watchesHottest(budget int) bool {
	var want []string
	for k, h := range p.p.hot {
		if _, err := os.Stat(k.path()); err == nil && h.watched {
			want = append(want, k.path())
		}
	}
	got := p.p.events.events.WatchList()
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want) && len(want) == min(budget, len(p.p.hot))
}

// After lost events any watch may have ended, so all are renewed.
func TestLostFileEvents(t *testing.T) {
	p := polledFiles(t, 0, "a.log")
	p.watchFiles(1)
	p.after(dirCheck)
	noError(t, p.p.events.events.Remove(filepath.Join(p.dir, "a.log")))
	p.after(dirCheck)
	if p.watchesHottest(1) {
		t.Error("the watch was renewed without a reason")
	}
	p.p.events.events.Errors <- fsnotify.ErrEventOverflow
	polltest.Eventually(t, "the watch is renewed", func() bool {
		p.checkNow()
		return p.watchesHottest(1)
	})
	if n := p.w.Stats().Overflows; n != 1 {
		t.Errorf("got %d overflows, want 1", n)
	}
}
