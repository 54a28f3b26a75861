package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
	"github.com/ccwatchd/ccwatchd/internal/polltest"
)

// A polled tree is checked step by step, by a clock of its own.
type polled struct {
	*consumer
	t   *testing.T
	dir string
	p   *poller
	now time.Time
}

// newPolled makes the first walk of a directory without events, some time after
// everything in it was written.
func newPolled(t *testing.T, dir string, later time.Duration) *polled {
	t.Helper()
	o := pollOptions(dir)
	o.PollInterval, o.ScanInterval = 200*time.Millisecond, 30*time.Second
	w := New(o)
	p := &polled{t: t, dir: dir, now: time.Now().Add(later)}
	w.openPoller()
	p.p = w.poller
	p.p.now = func() time.Time { return p.now }
	w.scan(t.Context())
	t.Cleanup(w.stopPolling)
	p.consumer = consume(t, w, func() {})
	return p
}

// after makes the checks that are due after some time, and returns the files that they
// report.
func (p *polled) after(d time.Duration) []string {
	p.t.Helper()
	p.now = p.now.Add(d)
	p.p.checkDue(p.t.Context())
	p.take()
	var found []string
	for f := range p.dirty {
		found = append(found, f)
	}
	clear(p.dirty)
	slices.Sort(found)
	return found
}

// checkNow makes all checks without the passing of time, in which files would become
// cold.
func (p *polled) checkNow() {
	p.p.dirsAt = p.now
	p.after(0)
}

// finds checks what is reported after some time.
func (p *polled) finds(d time.Duration, want ...string) {
	p.t.Helper()
	if got := p.after(d); !slices.Equal(got, want) {
		p.t.Errorf("after %v: got %v, want %v", d, got, want)
	}
}

const (
	hotCheck  = 200 * time.Millisecond
	dirCheck  = time.Second
	fileCheck = 15 * time.Second
)

// setTimes sets the modification time of files.
func setTimes(t *testing.T, at time.Time, paths ...string) {
	t.Helper()
	for _, path := range paths {
		noError(t, os.Chtimes(path, at, at))
	}
}

func TestHotFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	p := newPolled(t, dir, 0)
	p.finds(hotCheck)
	write(t, dir, "p/a.log")
	p.finds(hotCheck, "0:p/a.log")
	p.finds(hotCheck)
}

// A file that was not written for long is found by the check of all files, and is hot
// from then on.
func TestColdFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	p := newPolled(t, dir, hotTime)
	write(t, dir, "p/a.log")
	p.finds(hotCheck)
	p.finds(fileCheck, "0:p/a.log")
	write(t, dir, "p/a.log")
	p.finds(hotCheck, "0:p/a.log")
	p.finds(hotTime)
	if len(p.p.hot) > 0 {
		t.Errorf("got %d hot files %v after the last change, want none", len(p.p.hot), hotTime)
	}
}

// Some file systems round times to two seconds: a second change in a directory may
// leave its time as it was.
func TestCoarseTimes(t *testing.T) {
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour)
	write(t, dir, "a.log")
	setTimes(t, at, filepath.Join(dir, "a.log"), dir)
	p := newPolled(t, dir, 0)
	write(t, dir, "a.log")
	write(t, dir, "b.log")
	rounded := at.Add(2 * time.Second)
	setTimes(t, rounded, filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log"), dir)
	p.finds(dirCheck, "0:a.log", "0:b.log")
	write(t, dir, "b.log")
	write(t, dir, "c.log")
	setTimes(t, rounded, filepath.Join(dir, "b.log"), filepath.Join(dir, "c.log"), dir)
	got := append(p.after(dirCheck), p.after(granularity)...)
	if want := []string{"0:b.log", "0:c.log"}; !slices.Equal(got, want) {
		t.Errorf("after a second change at the same time: got %v, want %v", got, want)
	}
}

// The clock of a file server may be hours behind or ahead.
func TestOtherClock(t *testing.T) {
	for _, offset := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		t.Run(offset.String(), func(t *testing.T) {
			dir := t.TempDir()
			mkdir(t, dir, "p")
			server := time.Now().Add(offset)
			setTimes(t, server, filepath.Join(dir, "p"))
			p := newPolled(t, dir, 0)
			writeAt := func(at time.Time) {
				write(t, dir, "p/a.log")
				setTimes(t, at, filepath.Join(dir, "p/a.log"))
			}
			writeAt(server.Add(time.Second))
			setTimes(t, server.Add(time.Second), filepath.Join(dir, "p"))
			p.finds(dirCheck, "0:p/a.log")
			writeAt(server.Add(2 * time.Second))
			p.finds(hotCheck, "0:p/a.log")
		})
	}
}

// A file may be replaced by another one of the same size and time.
func TestReplacedFile(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	for _, name := range []string{"a.log", "b.tmp"} {
		write(t, dir, name)
		setTimes(t, at, filepath.Join(dir, name))
	}
	p := newPolled(t, dir, 0)
	if _, _, ok := p.last.Tree[0].Info.Identity(); !ok {
		t.Skip("no identity without opening a file on this system")
	}
	rename(t, dir, "b.tmp", "a.log")
	p.finds(hotCheck, "0:a.log")
}

func TestRemovedDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/q/a.log")
	write(t, dir, "p/b.log")
	p := newPolled(t, dir, hotTime)
	remove(t, dir, "p")
	p.finds(dirCheck, "0:p/b.log", "0:p/q/a.log")
	if len(p.p.order) != 1 || len(p.p.dirs) != 1 || p.p.files != 0 {
		t.Errorf("got %d directories and %d files, want the root alone", len(p.p.order), p.p.files)
	}
	write(t, dir, "p/q/a.log")
	p.finds(dirCheck, "0:p/q/a.log")
	if len(p.p.order) != 3 || p.p.files != 1 {
		t.Errorf("got %d directories and %d files, want 3 and 1", len(p.p.order), p.p.files)
	}
}

// Of very many new files, those that changed last are hot.
func TestHotLimit(t *testing.T) {
	dir := t.TempDir()
	first := time.Now().Add(-hotTime / 2)
	for i := range 2*maxHot + 1 {
		name := fmt.Sprintf("%04d.log", i)
		write(t, dir, name)
		setTimes(t, first.Add(time.Duration(i)*time.Millisecond), filepath.Join(dir, name))
	}
	p := newPolled(t, dir, 0)
	p.after(dirCheck)
	if n := len(p.p.hot); n != maxHot {
		t.Errorf("got %d hot files, want %d", n, maxHot)
	}
	for _, k := range p.p.byChange() {
		if k.name <= fmt.Sprintf("%04d.log", maxHot) {
			t.Errorf("%s is hot, want the last %d", k.name, maxHot)
		}
	}
}

// If not all directories can be checked, those of hot files are among them.
func TestDirectoriesOfHotFilesFirst(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		write(t, dir, fmt.Sprintf("%02d/a.log", i))
	}
	p := newPolled(t, dir, hotTime)
	write(t, dir, "50/a.log")
	p.after(fileCheck)
	pace := &p.p.paces[Directories]
	pace.cost, pace.owed = pace.share, 0 // one directory a second
	p.p.nextDir = 1 + slices.IndexFunc(p.p.order, func(d *polledDir) bool { return filepath.Base(d.path) == "50" })
	write(t, dir, "50/b.log")
	p.finds(dirCheck, "0:50/b.log")
}

// New files are found soon where they are likely: in a root and directly below it, next
// to hot files, above them, and below the directory that has the name of a hot file.
// Elsewhere they are found by the check of everything.
func TestLikelyDirectories(t *testing.T) {
	for name, soon := range map[string]bool{
		"new.log": true, "p/new.log": true, "q/new.log": true,
		"p/hot/x/new.log": true, "p/cold/x/new.log": false, "q/hot/x/new.log": false,
		"q/r/s/t/new.log": true, "q/r/s/new.log": true, "q/r/u/new.log": false,
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			dir := t.TempDir()
			for _, old := range []string{"p/cold.log", "p/hot/x/a.log", "p/cold/x/a.log", "q/hot/x/a.log", "q/r/s/b.log", "q/r/s/t/a.log", "q/r/u/a.log"} {
				write(t, dir, old)
			}
			p := newPolled(t, dir, hotTime)
			write(t, dir, "p/hot.log")
			write(t, dir, "q/r/s/t/a.log")
			p.after(fileCheck)
			p.finds(fileCheck) // new directories are read twice
			write(t, dir, name)
			if soon {
				p.finds(dirCheck, "0:"+name)
				return
			}
			p.finds(dirCheck)
			p.finds(fileCheck, "0:"+name)
		})
	}
}

// A directory that was replaced is read, although it has the path of the old one.
func TestReplacedDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/q/a.log")
	write(t, dir, "p/other/b.log")
	p := newPolled(t, dir, hotTime)
	remove(t, dir, "p/q")
	rename(t, dir, "p/other", "p/q")
	p.finds(dirCheck, "0:p/other/b.log", "0:p/q/a.log", "0:p/q/b.log")
}

// The intervals are those between checks of each file, also of very many in a single
// directory.
func TestIntervals(t *testing.T) {
	const interval, files, rounds = 30 * time.Second, 1000, 4
	dir := t.TempDir()
	for i := range files {
		write(t, dir, fmt.Sprintf("%03d.log", i))
	}
	for name, tc := range map[string]struct {
		tier  Tier
		later time.Duration
		files int
	}{"hot files": {HotFiles, 0, maxHot}, "all files": {AllFiles, hotTime, files}} {
		t.Run(name, func(t *testing.T) {
			p := newPolled(t, dir, tc.later)
			p.after(dirCheck)
			pace := &p.p.paces[tc.tier]
			pace.least, pace.most, pace.items = interval, interval, 0
			for end := p.now.Add(rounds * interval); p.now.Before(end); {
				p.after(hotCheck)
			}
			if n := pace.items; n < (rounds-1)*tc.files || n > (rounds+1)*tc.files {
				t.Errorf("checked %d files in %d intervals, want each once per interval", n, rounds)
			}
		})
	}
}

// A directory that is slow to read is read again only after a pause, and then reported
// completely.
func TestSlowDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	p := newPolled(t, dir, hotTime)
	write(t, dir, "b.log")
	p.finds(dirCheck, "0:b.log")
	d := p.p.dirs[p.p.order[0].path]
	d.notBefore = p.now.Add(20 * dirCheck)
	write(t, dir, "c.log")
	for range 18 {
		p.finds(dirCheck)
	}
	got := append(p.after(dirCheck), p.after(dirCheck)...)
	if want := []string{"0:c.log"}; !slices.Equal(got, want) {
		t.Errorf("after the pause: got %v, want %v", got, want)
	}
}

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
	p.w.o.MaxFileWatches = budget
	p.p.events = p.w.openFileEvents()
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
	dir := t.TempDir()
	write(t, dir, "a.log")
	p := newPolled(t, dir, 0)
	p.w.o.MaxFileWatches = 1
	p.p.events = p.w.openFileEvents()
	p.after(dirCheck)
	noError(t, p.p.events.events.Remove(filepath.Join(dir, "a.log")))
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

// A known file becomes hot by a change, however old its modification time is.
func TestChangeWithOldTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.log")
	write(t, dir, "a.log")
	setTimes(t, time.Now().Add(-2*time.Hour), path)
	p := newPolled(t, dir, 0)
	for _, check := range []time.Duration{fileCheck, hotCheck} {
		write(t, dir, "a.log")
		setTimes(t, time.Now().Add(-time.Hour), path)
		p.finds(check, "0:a.log")
	}
}
