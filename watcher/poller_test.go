package watcher

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A polled tree is checked step by step, with its own clock.
type polled struct {
	*consumer
	t   *testing.T
	dir string
	p   *poller
	now time.Time
}

// newPolled makes the first walk of a directory, and of others, without events, some
// time after everything in it was written.
func newPolled(t *testing.T, dir string, later time.Duration, others ...string) *polled {
	t.Helper()
	w := New(pollOptions(append([]string{dir}, others...)...))
	p := &polled{t: t, dir: dir, p: w.pollers[0], now: time.Now().Add(later)}
	for _, each := range w.pollers {
		each.now = func() time.Time { return p.now }
	}
	waitForTick(t)
	w.scan(t.Context())
	p.consumer = consume(t, w, func() {})
	return p
}

// polledFiles is like newPolled with new files in a new directory.
func polledFiles(t *testing.T, later time.Duration, paths ...string) *polled {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		write(t, dir, path)
	}
	return newPolled(t, dir, later)
}

// after makes a check after some time, and returns the files that it reports.
func (p *polled) after(d time.Duration) []string {
	p.t.Helper()
	p.now = p.now.Add(d)
	for _, each := range p.w.pollers {
		each.check(p.t.Context())
	}
	waitForTick(p.t)
	return p.takeDirty()
}

func (p *polled) takeDirty() []string {
	p.take()
	found := slices.Sorted(maps.Keys(p.dirty))
	clear(p.dirty)
	return found
}

// walk walks after some time.
func (p *polled) walk(d time.Duration) {
	p.t.Helper()
	p.now = p.now.Add(d)
	p.w.scan(p.t.Context())
	waitForTick(p.t)
	p.takeDirty()
}

// finds compares the files reported by a check with want, one second after the last
// check.
func (p *polled) finds(want ...string) {
	p.t.Helper()
	if got := p.after(time.Second); !slices.Equal(got, want) {
		p.t.Errorf("got %v, want %v", got, want)
	}
}

// checks compares the checked files and directories with want, relative to the root.
func (p *polled) checks(want ...string) {
	p.t.Helper()
	got := []string{}
	for path := range p.p.files {
		got = append(got, path)
	}
	for _, dir := range p.p.checked {
		got = append(got, dir+"/")
	}
	for i, path := range got {
		got[i] = filepath.ToSlash(strings.TrimPrefix(path, p.p.roots.all[0].real))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		p.t.Errorf("checks %v, want %v", got, want)
	}
}

// setTimes sets the modification time of files.
func setTimes(t *testing.T, at time.Time, paths ...string) {
	t.Helper()
	for _, path := range paths {
		noError(t, os.Chtimes(path, at, at))
	}
}

// Files and directories written within 15 minutes are checked, with all directories
// above them. The rest is left to walks, which choose again.
func TestRecent(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, file := range []string{"p/q/a.log", "p/q/b.log", "r/s/c.log"} {
		write(t, dir, file)
	}
	mkdir(t, dir, "t/new")
	for _, path := range []string{"p/q/b.log", "r/s/c.log", "p/q", "p", "r/s", "r", "t", ""} {
		setTimes(t, old, filepath.Join(dir, path))
	}
	p := newPolled(t, dir, 0)
	p.checks("/", "/p/", "/p/q/", "/p/q/a.log", "/t/", "/t/new/")
	for _, file := range []string{"p/q/a.log", "p/q/b.log", "p/q/new.log", "r/s/c.log", "r/s/new.log", "t/new/a.log", "u/a.log"} {
		write(t, dir, file)
	}
	p.finds("0:p/q/a.log", "0:p/q/new.log", "0:t/new/a.log", "0:u/a.log")
	p.finds()
	p.walk(0)
	write(t, dir, "p/q/b.log")
	write(t, dir, "r/s/c.log")
	write(t, dir, "r/s/newer.log")
	p.finds("0:p/q/b.log", "0:r/s/c.log", "0:r/s/newer.log")
	p.walk(0)
	newest := filepath.Join(dir, "r/s/newer.log")
	setTimes(t, time.Now().Add(time.Hour), newest)
	p.walk(time.Hour)
	p.checks("/", "/r/", "/r/s/", "/r/s/newer.log")
}

// The clock of a file server may be hours behind or ahead: its last writes are recent.
func TestOtherClock(t *testing.T) {
	for _, offset := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		t.Run(offset.String(), func(t *testing.T) {
			dir := t.TempDir()
			server := time.Now().Add(offset)
			writeAt := func(at time.Time) {
				write(t, dir, "p/a.log")
				setTimes(t, at, filepath.Join(dir, "p/a.log"), filepath.Join(dir, "p"), dir)
			}
			writeAt(server)
			p := newPolled(t, dir, 0)
			writeAt(server.Add(time.Second))
			p.finds("0:p/a.log")
			writeAt(server.Add(-24 * time.Hour))
			p.finds("0:p/a.log")
		})
	}
}

// Of very many new files and directories, only the last changed are checked.
func TestRecentLimit(t *testing.T) {
	dir := t.TempDir()
	first := time.Now().Add(-recentTime / 2)
	for i := range maxRecent + 100 {
		name := fmt.Sprintf("%04d.log", i)
		write(t, dir, name)
		setTimes(t, first.Add(time.Duration(i)*time.Millisecond), filepath.Join(dir, name))
	}
	setTimes(t, first.Add(-time.Second), dir)
	p := newPolled(t, dir, 0)
	if n := len(p.p.files); n != maxRecent {
		t.Errorf("got %d files, want %d", n, maxRecent)
	}
	if _, checked := p.p.files[filepath.Join(p.p.roots.all[0].real, "0099.log")]; checked {
		t.Error("an earlier file is checked")
	}
}

// The latest files are checked every time, others take turns until they have changed.
func TestTurns(t *testing.T) {
	const n = 2 * maxOften
	dir, now := t.TempDir(), time.Now()
	name := func(i int) string { return fmt.Sprintf("%03d/a.log", i) }
	var all []string
	for i := range n {
		write(t, dir, name(i))
		path, at := filepath.Join(dir, name(i)), now.Add(-time.Duration(i)*time.Millisecond)
		setTimes(t, at, path, filepath.Dir(path))
		all = append(all, "0:"+name(i))
	}
	p := newPolled(t, dir, 0)
	for i := range n {
		write(t, dir, name(i))
	}
	found := p.after(time.Second)
	if !slices.Contains(found, all[0]) || len(found) < maxOften/2 || len(found) == n {
		t.Errorf("the first check finds %d of %d files: %v", len(found), n, found)
	}
	for range turns - 1 {
		found = append(found, p.after(time.Second)...)
	}
	if slices.Sort(found); !slices.Equal(found, all) {
		t.Errorf("%d checks find %v, want each file once", turns, found)
	}
	for range turns {
		write(t, dir, name(n-1))
		p.finds(all[n-1])
	}
}

// A file may be replaced by a file of the same size and time.
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
	p.finds("0:a.log")
}

// A directory may disappear and return, and another directory may take its place.
func TestReplacedDirectory(t *testing.T) {
	p := polledFiles(t, 0, "p/q/a.log", "p/other/b.log", "c.log")
	remove(t, p.dir, "p/q")
	rename(t, p.dir, "p/other", "p/q")
	p.finds("0:p/other/b.log", "0:p/q/a.log", "0:p/q/b.log")
	p.checks("/", "/c.log", "/p/", "/p/q/", "/p/q/b.log")
	remove(t, p.dir, "p")
	p.finds("0:p/q/b.log")
	p.checks("/", "/c.log")
	write(t, p.dir, "p/q/b.log")
	p.finds("0:p/q/b.log")
	remove(t, p.dir, "c.log")
	p.finds("0:c.log")
	p.checks("/", "/p/", "/p/q/", "/p/q/b.log")
}

// A file that vanishes between two checks and returns is found by the next check, even
// if its directory looks as before when it vanishes.
func TestReturns(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		p := polledFiles(t, time.Minute, "p/a.log")
		dir := filepath.Join(p.dir, "p")
		info, err := os.Stat(dir)
		noError(t, err)
		remove(t, p.dir, "p/a.log")
		noError(t, os.Chtimes(dir, info.ModTime(), info.ModTime()))
		p.p.dirs.get(filepath.Join(p.p.roots.all[0].real, "p")).info = mustStat(t, dir)
		p.finds("0:p/a.log")
		write(t, p.dir, "p/a.log")
		p.finds("0:p/a.log")
	})
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "old/a.log")
		setTimes(t, time.Now().Add(-time.Hour), filepath.Join(dir, "old", "a.log"), filepath.Join(dir, "old"))
		write(t, dir, "p/b.log")
		p := newPolled(t, dir, time.Minute)
		remove(t, dir, "old")
		p.finds()
		write(t, dir, "old/c.log")
		p.finds("0:old/c.log")
	})
	t.Run("root", func(t *testing.T) {
		parent := t.TempDir()
		root, away := filepath.Join(parent, "root"), filepath.Join(parent, "away")
		write(t, parent, "root/p/a.log")
		p := newPolled(t, root, time.Minute)
		noError(t, os.Rename(root, away))
		p.finds("0:p/a.log")
		noError(t, os.Rename(away, root))
		p.finds("0:p/a.log")
	})
}

// A directory may change again after it was read, at the same modification time.
func TestSameModificationTime(t *testing.T) {
	p := polledFiles(t, 0, "p/a.log")
	dir := filepath.Join(p.dir, "p")
	modified := mustStat(t, dir).ModTime().Add(time.Second)
	for i, want := range []string{"0:p/0.log", "0:p/1.log", ""} {
		if want != "" {
			write(t, dir, fmt.Sprint(i, ".log"))
			setTimes(t, modified, dir)
		}
		p.now = modified.Add(time.Duration(i) * time.Millisecond)
		if got := strings.Join(p.after(0), " "); got != want {
			t.Errorf("check %d: got %q, want %q", i, got, want)
		}
	}
}

// mustStat returns the state of a file or directory.
func mustStat(t *testing.T, path string) Info {
	t.Helper()
	info, _, err := lstatPath(path)
	noError(t, err)
	return info
}

// The new files of a source do not displace the recent files of another source.
func TestRecentOfEachSource(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b/p/hot.log")
	setTimes(t, time.Now().Add(-recentTime/2), filepath.Join(dir, "b/p/hot.log"), filepath.Join(dir, "b/p"), filepath.Join(dir, "b"))
	for i := range maxRecent + 100 {
		write(t, dir, fmt.Sprintf("a/%04d.log", i))
	}
	p := newPolled(t, filepath.Join(dir, "a"), 0, filepath.Join(dir, "b"))
	write(t, dir, "b/p/hot.log")
	write(t, dir, "b/p/new.log")
	p.finds("1:p/hot.log", "1:p/new.log")
}

// A directory is removed with everything below it, and a nested source is not part of
// the source around it.
func TestNestedSources(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/inner/q/a.log")
	write(t, dir, "p/b/c.log")
	p := newPolled(t, dir, 0, filepath.Join(dir, "p/inner"))
	write(t, dir, "p/new.log")
	p.finds("0:p/new.log")
	write(t, dir, "p/inner/q/a.log")
	p.finds("1:q/a.log")
	remove(t, dir, "p/b")
	p.finds("0:p/b/c.log")
	remove(t, dir, "p/inner/q")
	p.finds("1:q/a.log")
	write(t, dir, "p/inner/q/a.log")
	p.finds("1:q/a.log")
}

// A check and a walk end with the context, and what they have not found is found later.
func TestCanceledCheck(t *testing.T) {
	p := polledFiles(t, 0, "p/a.log", "b.log")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write(t, p.dir, "p/a.log")
	write(t, p.dir, "p/new/c.log")
	remove(t, p.dir, "b.log")
	p.p.check(ctx)
	if found := p.takeDirty(); len(found) > 0 {
		t.Errorf("got %v after the end of the context", found)
	}
	p.p.read(ctx, filepath.Join(p.p.roots.all[0].real, "p"), p.p.dirs.get(filepath.Join(p.p.roots.all[0].real, "p")))
	if found := p.takeDirty(); len(found) > 0 {
		t.Errorf("got %v of a directory after the end of the context", found)
	}
	p.finds("0:b.log", "0:p/a.log", "0:p/new/c.log")
}

// A directory that has taken the place of a link during the walk is left to the next
// walk.
func TestLinkReplacedByDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/swap.log")
	write(t, dir, "target/old/1.log")
	mkdir(t, dir, "b")
	symlink(t, dir, "target", "b/l")
	o := pollOptions(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	o.Match = func(base string) bool {
		if info, err := os.Lstat(filepath.Join(dir, "b/l")); base == "swap.log" && err == nil && !info.IsDir() {
			remove(t, dir, "b/l")
			write(t, dir, "b/l/new/2.log")
		}
		return isLog(base)
	}
	w := New(o)
	w.scan(t.Context())
	c := consume(t, w, func() {})
	if want := []string{"0:swap.log", "1:l/new/2.log"}; !slices.Equal(c.tree, want) {
		t.Errorf("got %v, want %v", c.tree, want)
	}
	w.scan(t.Context())
	write(t, dir, "b/l/new/2.log")
	w.pollers[1].check(t.Context())
	c.waitForDirty("1:l/new/2.log")
}
