package watcher

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// All directories that are due are checked, also if some belong to hot files and are
// directly below a root.
func TestAllDueDirectories(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprint(i), "a.log")
	}
	write(t, dir, "0/x/y/a.log")
	p := newPolled(t, dir, 0)
	p.finds(granularity + dirCheck) // new directories are read twice
	for range 5 {
		before := p.p.paces[Directories].items
		p.finds(dirCheck)
		if n := p.p.paces[Directories].items - before; n != 13 {
			t.Errorf("checked %d directories, want 13", n)
		}
	}
}

// The index of directories by the one above follows what appears and disappears.
func TestChildren(t *testing.T) {
	p := polledFiles(t, 0, "p/q/r/a.log", "p/q2/a.log", "p/s/a.log", "p2/a.log")
	check := func() {
		t.Helper()
		want := make(map[string][]*polledDir)
		for _, d := range p.p.order {
			want[filepath.Dir(d.path)] = append(want[filepath.Dir(d.path)], d)
		}
		if !maps.EqualFunc(p.p.children, want, slices.Equal) {
			t.Errorf("got children %v, want %v", p.p.children, want)
		}
	}
	check()
	for _, d := range p.p.tree(filepath.Join(p.dir, "p", "q")) {
		if _, within := relBelow(filepath.Join(p.dir, "p"), d.path); !within || filepath.Base(d.path) == "q2" {
			t.Errorf("got %s below p/q", d.path)
		}
	}
	remove(t, p.dir, "p/q")
	p.finds(dirCheck, "0:p/q/r/a.log")
	check()
	write(t, p.dir, "p/t/u/a.log")
	p.finds(dirCheck, "0:p/t/u/a.log")
	check()
	remove(t, p.dir, "p")
	p.finds(dirCheck, "0:p/q2/a.log", "0:p/s/a.log", "0:p/t/u/a.log")
	check()
	if n := len(p.p.children); n != 2 {
		t.Errorf("got children of %d directories, want 2", n)
	}
}

func TestRemovedDirectory(t *testing.T) {
	p := polledFiles(t, hotTime, "p/q/a.log", "p/b.log")
	remove(t, p.dir, "p")
	p.finds(dirCheck, "0:p/b.log", "0:p/q/a.log")
	if len(p.p.order) != 1 || len(p.p.dirs) != 1 || p.files() != 0 {
		t.Errorf("got %d directories and %d files, want the root alone", len(p.p.order), p.files())
	}
	write(t, p.dir, "p/q/a.log")
	p.finds(dirCheck, "0:p/q/a.log")
	if len(p.p.order) != 3 || p.files() != 1 {
		t.Errorf("got %d directories and %d files, want 3 and 1", len(p.p.order), p.files())
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
	pace.meter.seconds, pace.meter.items, pace.owed = pace.share, 1, 0 // one directory a second
	p.p.nextDir = 1 + slices.IndexFunc(p.p.top, func(d *polledDir) bool { return filepath.Base(d.path) == "50" })
	write(t, dir, "50/b.log")
	p.finds(dirCheck, "0:50/b.log")
}

// New files are found soon where they are likely: in a root and directly below it, next
// to hot files, above them, and below the directory that has the name of a hot file.
// Where no file is recent they are found by the check of everything, or by a walk if
// they are in an inner directory.
func TestLikelyDirectories(t *testing.T) {
	const soon, later, walk = 1, 2, 3
	for name, when := range map[string]int{
		"new.log": soon, "p/new.log": soon, "q/new.log": soon,
		"p/hot/x/new.log": soon, "p/cold/x/new.log": walk, "q/hot/x/new.log": later,
		"q/r/s/t/new.log": soon, "q/r/s/new.log": soon, "q/r/u/new.log": later,
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			p := polledFiles(t, hotTime, "p/cold.log", "p/hot/x/a.log", "p/cold/x/a.log", "q/hot/x/a.log", "q/r/s/b.log", "q/r/s/t/a.log", "q/r/u/a.log")
			write(t, p.dir, "p/hot.log")
			write(t, p.dir, "q/r/s/t/a.log")
			p.after(fileCheck)
			p.finds(fileCheck) // new directories are read twice
			clear(p.p.recentDirs)
			write(t, p.dir, name)
			if when == soon {
				p.finds(dirCheck, "0:"+name)
				return
			}
			p.finds(dirCheck)
			if when == walk {
				p.finds(fileCheck)
				return
			}
			p.finds(fileCheck, "0:"+name)
		})
	}
}

// Directories of recent files are among the likely ones, at any depth.
func TestDirectoriesOfRecentFiles(t *testing.T) {
	p := polledFiles(t, hotTime, "q/r/s/a.log")
	write(t, p.dir, "q/r/s/new.log")
	p.finds(dirCheck, "0:q/r/s/new.log")
}

// A file in an inner directory is left to walks, until the file to which the directory
// belongs is hot.
func TestInnerDirectories(t *testing.T) {
	p := polledFiles(t, hotTime, "p/s.log", "p/s/x/a.log", "p/t/x/a.log", "p/t.log.d/a.log")
	if p.p.outer != 6 {
		t.Errorf("got %d files and directories for checks of all files, want 3 and 3", p.p.outer)
	}
	write(t, p.dir, "p/t/x/a.log")
	write(t, p.dir, "p/t.log.d/a.log")
	p.finds(fileCheck, "0:p/t.log.d/a.log", "0:p/t/x/a.log")
	write(t, p.dir, "p/s/x/a.log")
	p.finds(fileCheck)
	write(t, p.dir, "p/s.log")
	p.finds(fileCheck, "0:p/s.log")
	p.finds(fileCheck, "0:p/s/x/a.log")
	p.finds(hotTime)
	write(t, p.dir, "p/s/x/a.log")
	p.finds(fileCheck)
	remove(t, p.dir, "p/s.log")
	p.finds(dirCheck, "0:p/s.log")
	p.w.scan(t.Context())
	p.take()
	clear(p.dirty)
	p.finds(2 * granularity)
	p.now = p.now.Add(hotTime)
	p.checkNow()
	clear(p.dirty)
	write(t, p.dir, "p/s/x/a.log")
	p.finds(fileCheck, "0:p/s/x/a.log")
}

// A directory that was replaced is read, although it has the path of the old one.
func TestReplacedDirectory(t *testing.T) {
	p := polledFiles(t, hotTime, "p/q/a.log", "p/other/b.log")
	remove(t, p.dir, "p/q")
	rename(t, p.dir, "p/other", "p/q")
	p.finds(dirCheck, "0:p/other/b.log", "0:p/q/a.log", "0:p/q/b.log")
}

// A directory that is slow to read is read again only after a pause, and then reported
// completely.
func TestSlowDirectory(t *testing.T) {
	p := polledFiles(t, hotTime, "a.log")
	write(t, p.dir, "b.log")
	p.finds(dirCheck, "0:b.log")
	d := p.p.dirs[p.p.order[0].path]
	d.notBefore = p.now.Add(20 * dirCheck)
	write(t, p.dir, "c.log")
	for range 18 {
		p.finds(dirCheck)
	}
	got := append(p.after(dirCheck), p.after(dirCheck)...)
	if want := []string{"0:c.log"}; !slices.Equal(got, want) {
		t.Errorf("after the pause: got %v, want %v", got, want)
	}
}
