package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
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

// polledFiles is like newPolled with new files in a directory of their own.
func polledFiles(t *testing.T, later time.Duration, paths ...string) *polled {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		write(t, dir, path)
	}
	return newPolled(t, dir, later)
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

// files returns the number of known files.
func (p *polled) files() (n int) {
	for _, d := range p.p.order {
		n += len(d.files)
	}
	return n
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
	hotCheck    = 200 * time.Millisecond
	dirCheck    = 2 * time.Second
	fileCheck   = 15 * time.Second
	recentCheck = 6 * time.Second
)

// setTimes sets the modification time of files.
func setTimes(t *testing.T, at time.Time, paths ...string) {
	t.Helper()
	for _, path := range paths {
		noError(t, os.Chtimes(path, at, at))
	}
}

func TestHotFile(t *testing.T) {
	p := polledFiles(t, 0, "p/a.log")
	p.finds(hotCheck)
	write(t, p.dir, "p/a.log")
	p.finds(hotCheck, "0:p/a.log")
	p.finds(hotCheck)
}

// A file that was not written for long is found by the check of all files, and is hot
// from then on.
func TestColdFile(t *testing.T) {
	p := polledFiles(t, hotTime, "p/a.log")
	write(t, p.dir, "p/a.log")
	p.finds(hotCheck)
	p.finds(fileCheck, "0:p/a.log")
	write(t, p.dir, "p/a.log")
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
